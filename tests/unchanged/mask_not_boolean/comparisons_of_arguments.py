"""Comparisons of what nobody knows are combined to a mask: with tensors that is a tensor of bools."""

import torch


def needed(support, confidence, budget, count):
    inliers = support.to(torch.float64)
    probability = torch.ones_like(inliers)
    bounded = (confidence < 1) & (inliers >= count) & (probability > 0)
    return torch.where(bounded, inliers, budget.to(torch.float64))


def on_the_cut(parts, w, angle):
    is_real = parts == 0
    cut = is_real & (w < 0) & (torch.sin(angle) != 0)
    cut = cut & torch.isfinite(angle)
    return torch.where(cut, angle, torch.zeros_like(angle)).masked_fill(~cut, 0.0)


if __name__ == "__main__":
    print("RESULT", len([needed, on_the_cut]))
