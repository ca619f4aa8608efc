import torch


def train_one_epoch(model, loader, criterion, optimizer, device):
    model.train()
    running = 0.0
    for past, future in loader:
        past, future = past.to(device), future.to(device)
        loss = criterion(model(past), future)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running / len(loader)


@torch.no_grad()
def validate(model, loader, criterion, device):
    model.eval()
    running = 0.0
    for past, future in loader:
        past, future = past.to(device), future.to(device)
        running += criterion(model(past), future).item()
    return running / len(loader)
