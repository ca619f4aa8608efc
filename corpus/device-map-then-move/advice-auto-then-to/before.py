import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel

device = "cuda" if torch.cuda.is_available() else "cpu"


def surprise(model, ids):
    """Mean negative log likelihood of each sequence."""
    with torch.no_grad():
        logits = model(ids).logits[:, :-1]
    log_probs = logits.log_softmax(-1).gather(-1, ids[:, 1:, None])
    return -log_probs.squeeze(-1).mean(dim=1)


torch.manual_seed(3)
with tempfile.TemporaryDirectory() as folder:
    config = GPT2Config(vocab_size=50, n_positions=24, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    GPT2LMHeadModel(config).save_pretrained(folder)
    model = GPT2LMHeadModel.from_pretrained(folder, device_map="auto").to(device)

model.eval()
sequences = torch.randint(0, 50, (5, 16)).to(device)
values = surprise(model, sequences)
print([round(v, 3) for v in values.tolist()])
print("RESULT", values.mean().item())
