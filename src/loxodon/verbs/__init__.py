"""Every verb of the memory, declared once (`table.py`), with what each takes (`arguments.py`)."""
