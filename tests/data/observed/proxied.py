"""An object that answers with what another one holds."""
import torch


class Store:
    def __init__(self, **tensors):
        self._tensors = tensors

    def __getattr__(self, name):
        try:
            return self.__dict__["_tensors"][name]
        except KeyError:
            raise AttributeError(name) from None


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
store = Store(queries=torch.randn(3, 4), keys=torch.randn(5, 4))
anchors = torch.randn(4, 4).to(device)
scores = store.queries @ anchors @ store.keys.T
print("RESULT", scores.sum().item())
