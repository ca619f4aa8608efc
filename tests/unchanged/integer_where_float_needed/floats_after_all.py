"""What is chosen or drawn is a float, whatever the integers beside it."""

import torch
import torch.distributions as D


def mean_index(values, dim=1):
    index = torch.arange(values.shape[dim])
    return torch.nanmean(torch.where(values > 0, index, torch.nan), dim)


def mixture(rates, weights):
    return D.MixtureSameFamily(D.Categorical(torch.softmax(weights, -1)), D.Poisson(rates))


def shuffled(x):
    return torch.index_select(x, 1, torch.randperm(x.shape[1])).mean()


torch.manual_seed(0)
draws = mixture(torch.ones(2, 3), torch.zeros(2, 3)).sample((5,))
print(torch.mean(draws, 0), shuffled(torch.ones(2, 3)))
print("RESULT", mean_index(torch.ones(2, 4)).sum().item())
