import torch
from torch import nn, optim


class MatrixFactorization(nn.Module):
    def __init__(self, n_users, n_items, rank):
        super().__init__()
        self.users = nn.Embedding(n_users, rank)
        self.items = nn.Embedding(n_items, rank)
        self.bias = nn.Embedding(n_items, 1)

    def forward(self, user, item):
        return (self.users(user) * self.items(item)).sum(-1) + self.bias(item).squeeze(-1)


class Recommender:
    """Fits ratings with a factor model; call fit() and then recommend()."""

    def __init__(self, n_users, n_items, rank=6, lr=0.1, gpu=True):
        self.device = "cuda" if gpu and torch.cuda.is_available() else "cpu"
        self.n_items = n_items
        self.model = MatrixFactorization(n_users, n_items, rank)
        self.loss = nn.MSELoss()
        self.optimizer = optim.Adagrad(self.model.parameters(), lr=lr, weight_decay=1e-4)
        self.history = []
        self.model = self.model.to(self.device)

    def fit(self, users, items, ratings, epochs=3, batch_size=128):
        users = users.to(self.device)
        items = items.to(self.device)
        ratings = ratings.to(self.device)
        self.model.train()
        for _ in range(epochs):
            for i in range(0, len(users), batch_size):
                s = slice(i, i + batch_size)
                self.optimizer.zero_grad()
                loss = self.loss(self.model(users[s], items[s]), ratings[s])
                loss.backward()
                self.optimizer.step()
                self.history.append(loss.item())
        return self

    @torch.no_grad()
    def recommend(self, user, k=3):
        self.model.eval()
        items = torch.arange(self.n_items, device=self.device)
        users = torch.full_like(items, user)
        return self.model(users, items).topk(k).indices.tolist()


if __name__ == "__main__":
    torch.manual_seed(0)
    users = torch.randint(0, 50, (1500,))
    items = torch.randint(0, 80, (1500,))
    ratings = 3 + torch.sin(users.float()) * torch.cos(items.float())
    rec = Recommender(50, 80).fit(users, items, ratings)
    print("first", rec.history[0], "last", rec.history[-1], "for user 3:", rec.recommend(3))
    print("RESULT", rec.history[-1])
