import argparse
import tempfile

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM


def write_weights(folder):
    config = LlamaConfig(vocab_size=64, hidden_size=16, intermediate_size=32, num_hidden_layers=2,
                         num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=32,
                         bos_token_id=1, eos_token_id=2, pad_token_id=0)
    LlamaForCausalLM(config).save_pretrained(folder)


@torch.no_grad()
def continue_greedily(model, ids, steps):
    for _ in range(steps):
        logits = model(ids).logits
        following = logits[:, -1].argmax(dim=-1, keepdim=True).to(ids.device)
        ids = torch.cat([ids, following], dim=1)
    return ids, logits


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(7)
    with tempfile.TemporaryDirectory() as folder:
        write_weights(folder)
        model = AutoModelForCausalLM.from_pretrained(folder, device_map="auto")
    model.eval()
    prompt = torch.tensor([[1, 17, 23, 40]]).to(model.device)
    ids, logits = continue_greedily(model, prompt, args.steps)
    print("tokens", ids.tolist())
    print("RESULT", logits.float().std().item())


if __name__ == "__main__":
    main()
