"""What every backend promises: all of `store/store.py`, a part of it in each of `contracts/`."""

from __future__ import annotations

from tests.store.contracts.pages import PagesContract
from tests.store.contracts.primary import PrimaryDataContract
from tests.store.contracts.store import StoreContract
from tests.store.contracts.vectors import VectorsContract
from tests.store.contracts.worklog import WorkLogContract
from tests.store.contracts.workspace_data import WorkspaceDataContract


class BackendContract(
    StoreContract,
    PagesContract,
    WorkLogContract,
    WorkspaceDataContract,
    PrimaryDataContract,
    VectorsContract,
):
    """Inherit, and give `open_store`: it opens the store of a space, the same one each time."""
