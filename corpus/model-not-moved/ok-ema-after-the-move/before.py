import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel


class MeanTeacher:
    def __init__(self, student, decay=0.95):
        self.teacher = copy.deepcopy(student).eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, student):
        for t, s in zip(self.teacher.parameters(), student.parameters()):
            t.lerp_(s, 1 - self.decay)
        for t, s in zip(self.teacher.buffers(), student.buffers()):
            t.copy_(s)


def student_net():
    return nn.Sequential(nn.Linear(14, 28), nn.BatchNorm1d(28), nn.ReLU(), nn.Linear(28, 4))


def main():
    torch.manual_seed(59)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    student = student_net()
    student.to(device)
    mean_teacher = MeanTeacher(student)
    averaged = AveragedModel(student)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9)
    for step in range(40):
        y = torch.randint(0, 4, (32,))
        x = torch.randn(32, 14) + 2 * F.one_hot(y, 14).float()
        x, y = x.to(device), y.to(device)
        with torch.no_grad():
            soft = mean_teacher.teacher(x + 0.1 * torch.randn_like(x)).softmax(1)
        logits = student(x)
        loss = F.cross_entropy(logits, y) + 0.5 * F.mse_loss(logits.softmax(1), soft)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean_teacher.update(student)
        averaged.update_parameters(student)
    final = F.cross_entropy(averaged(x), y).item()
    print("student", loss.item(), "averaged", final)
    print("RESULT", final)


if __name__ == "__main__":
    main()
