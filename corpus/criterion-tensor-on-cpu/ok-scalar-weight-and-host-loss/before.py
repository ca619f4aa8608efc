import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(35)


def intrusions(n):
    x = torch.randn(n, 11)
    return x, (x[:, :3].sum(1) > 2.2).float()


detector = nn.Sequential(nn.Linear(11, 22), nn.ReLU(), nn.Linear(22, 1)).to(device)
train_criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(6.0))
report_criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 6.0]))
optimizer = torch.optim.Adam(detector.parameters(), lr=1e-2)

for step in range(60):
    x, y = intrusions(128)
    loss = train_criterion(detector(x.to(device)).squeeze(1), y.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# the report runs once an hour on the log server, next to the data base
with torch.no_grad():
    x, y = intrusions(400)
    logit = detector(x.to(device)).squeeze(1).cpu()
    two_class = torch.stack([torch.zeros_like(logit), logit], dim=1)
    report = report_criterion(two_class, y.long())
    per_class = F.cross_entropy(two_class.to(device), y.long().to(device), weight=report_criterion.weight.to(device))
print("train", loss.item(), "report", report.item(), "again", per_class.item())
print("RESULT", report.item())
