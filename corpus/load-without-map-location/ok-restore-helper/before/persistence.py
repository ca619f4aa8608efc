import torch


def store(model, path):
    torch.save({"format": 2, "weights": model.state_dict()}, path)


def restore(model, path):
    payload = torch.load(path)
    if payload["format"] != 2:
        raise ValueError(f"{path} has an unknown format")
    model.load_state_dict(payload["weights"])
    return model
