"""The optional model, which is never needed, and embedders. Nothing here is imported unless set."""
