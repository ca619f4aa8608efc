/** Programs: what the tests open. Each dies on an accelerator. */

export const TRAIN = `import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
data = TensorDataset(torch.randn(64, 16), torch.randint(0, 2, (64,)))

for features, labels in DataLoader(data, batch_size=8):
    features = features.to(device)
    optimizer.zero_grad()
    loss = criterion(model(features), labels)
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
`;
const LOOP = "    features = features.to(device)\n";
export const TRAIN_FIXED = TRAIN.replace(LOOP, `${LOOP}    labels = labels.to(device)\n`);

export const EVALUATE = `import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(16, 2).to(device)
scale = torch.ones(2)
print(model(torch.randn(4, 16)) * scale)
`;
export const EVALUATE_FIXED = EVALUATE.replace("ones(2)", "ones(2, device=device)").replace(
  "randn(4, 16)",
  "randn(4, 16).to(device)",
);

/** What no reading finds: which loss it is, the command line says. */
export const RUN = `import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--loss", default="CrossEntropyLoss")
options = parser.parse_args()

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(16, 2).to(device)
losses = {name: each for name, each in vars(nn).items() if name.endswith("Loss")}
criterion = losses[options.loss](weight=torch.tensor([1.0, 4.0]))

features = torch.randn(8, 16, device=device)
labels = torch.zeros(8, dtype=torch.long, device=device)
loss = criterion(model(features), labels)
print(f"loss {loss.item():.3f}")
`;

const CELLS = [
  ["import torch\n", "from torch import nn"],
  [
    'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n',
    "model = nn.Linear(16, 2).to(device)",
  ],
  ["noise = torch.randn(4, 16)\n", "model(noise).sum()"],
];
export const NOTEBOOK = notebook(CELLS);
export const NOTEBOOK_FIXED = notebook([
  ...CELLS.slice(0, 2),
  ["noise = torch.randn(4, 16).to(device)\n", "model(noise).sum()"],
]);

/** A notebook as Jupyter writes it. */
function notebook(cells: readonly string[][]): string {
  const code = { cell_type: "code", execution_count: null };
  return `${JSON.stringify(
    {
      cells: cells.map((source, index) => ({
        ...code,
        id: `cell-${index}`,
        metadata: {},
        outputs: [],
        source,
      })),
      metadata: { language_info: { name: "python" } },
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  )}\n`;
}
