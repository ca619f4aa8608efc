import numpy as np
import torch
from torch.utils.data import WeightedRandomSampler


def ridge(x, y, penalty):
    return np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ y)


def folds(n, k, seed):
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed)).tolist()
    return [order[i::k] for i in range(k)]


def main():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 6))
    y = x @ np.array([1.0, -2.0, 0.0, 0.5, 0.0, 3.0]) + 0.3 * rng.normal(size=120)
    weights = np.abs(x[:, 0]) + 0.1
    sampler = WeightedRandomSampler(weights.tolist(), 120, generator=torch.Generator().manual_seed(4))
    scores = {}
    for penalty in (0.01, 1.0, 100.0):
        errors = []
        for held_out in folds(120, 5, seed=1):
            train = np.setdiff1d(np.fromiter(sampler, dtype=int), held_out)
            w = ridge(x[train], y[train], penalty)
            errors.append(np.mean((x[held_out] @ w - y[held_out]) ** 2))
        scores[penalty] = float(np.mean(errors))
        print(f"penalty {penalty}: {scores[penalty]:.4f}")
    print("RESULT", min(scores.values()))


if __name__ == "__main__":
    main()
