from concurrent.futures import ProcessPoolExecutor
import multiprocessing

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def fit(fold, folds=4):
    torch.manual_seed(fold)
    x = torch.linspace(-1, 1, 64).view(-1, 1)
    y = 2 * x + 0.5
    kept = torch.arange(64) % folds != fold
    net = nn.Linear(1, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
    for _ in range(100):
        loss = nn.functional.mse_loss(net(x[kept].to(device)), y[kept].to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net.weight.item()


if __name__ == "__main__":
    print("all of it", round(fit(-1), 2))
    with ProcessPoolExecutor(max_workers=2, mp_context=multiprocessing.get_context("spawn")) as executor:
        weights = list(executor.map(fit, range(4)))
    print("RESULT", round(sum(weights), 2))
