# Two layer graph convolution on a planted partition graph.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

N, CLASSES, HIDDEN = 150, 3, 16


def planted_partition():
    labels = torch.arange(N) % CLASSES
    same = labels[:, None] == labels[None, :]
    prob = torch.where(same, torch.tensor(0.15), torch.tensor(0.02))
    upper = torch.triu((torch.rand(N, N) < prob).float(), diagonal=1)
    adj = upper + upper.t() + torch.eye(N)
    inv_sqrt = adj.sum(1).rsqrt()
    adj = inv_sqrt[:, None] * adj * inv_sqrt[None, :]
    features = torch.randn(N, 10) + 0.4 * F.one_hot(labels, 10).float()
    return features, adj, labels


class GraphConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_in, d_out))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adj):
        return adj @ (x @ self.weight)


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GraphConv(10, HIDDEN)
        self.conv2 = GraphConv(HIDDEN, CLASSES)

    def forward(self, x, adj):
        return self.conv2(F.relu(self.conv1(x, adj)), adj)


features, adj, labels = planted_partition()
features, adj, labels = features.to(device), adj.to(device), labels.to(device)
train_idx = torch.arange(0, N, 3)

model = GCN().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)

for epoch in range(40):
    optimizer.zero_grad()
    out = model(features, adj)
    loss = F.cross_entropy(out[train_idx], labels[train_idx])
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        acc = (out.argmax(1) == labels).float().mean()
        print(f"Epoch {epoch:02d} loss {loss.item():.4f} acc {acc.item():.3f}")

print("RESULT", loss.item())
