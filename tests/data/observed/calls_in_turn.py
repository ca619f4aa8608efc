"""Calls in the order in which they need one another: one line makes tensors and uses them."""
import json
import operator

import torch

GRAPH = json.loads('{"gain": ["ones", [3]], "scaled": ["mul", ["gain", "x"]], "total": ["sum", ["scaled"]]}')
CALLS = {"ones": torch.ones, "mul": operator.mul, "sum": torch.sum}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
values = {"x": torch.arange(3.0).to(device)}
for name, (call, given) in GRAPH.items():
    arguments = [values.get(each, each) for each in given]
    values[name] = CALLS[call](*arguments)
print("RESULT", values["total"].item())
