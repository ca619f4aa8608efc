"""Models of transformers: the dtype they are loaded in, their parts, and what is allowed to be generated."""

from __future__ import annotations

import pytest
from text_program import clashes

LOADED = """
import torch
from torch import nn
from transformers import AutoModel, AutoModelForCausalLM, EncoderDecoderModel, T5Model

model = {made}
ids = torch.zeros(2, 3, dtype=torch.int64).cuda()
head = nn.Linear(9, 3).cuda()
{used}
"""


@pytest.mark.parametrize(
    ("option", "dtype"),
    [
        ("dtype=torch.float16", "half"),
        ("torch_dtype=torch.bfloat16", "bfloat16"),
        ("dtype=torch.float32", "float"),
        ('dtype="float16"', "half"),
    ],
)
def test_hidden_states_have_the_dtype_of_the_model(option: str, dtype: str) -> None:
    made = f'AutoModel.from_pretrained("tiny", {option}).cuda()'
    used = "head.{}()(model(ids).last_hidden_state)".format
    assert (clashes(LOADED.format(made=made, used=used("float"))) == []) is (dtype == "float")
    assert clashes(LOADED.format(made=made, used=used(dtype))) == []


@pytest.mark.parametrize(
    ("option", "read"),
    [
        ("", "last_hidden_state"),
        (', dtype="auto"', "last_hidden_state"),
        (", dtype=torch.float16, load_in_8bit=True", "last_hidden_state"),
        (", dtype=torch.float16", "logits"),  # which some models make float32
    ],
)
def test_where_the_dtype_is_not_known_nothing_is_said(option: str, read: str) -> None:
    made = f'AutoModel.from_pretrained("tiny"{option}){"" if "8bit" in option else ".cuda()"}'
    assert clashes(LOADED.format(made=made, used=f"head(model(ids).{read})")) == []
    assert clashes(LOADED.format(made=made, used=f"head.half()(model(ids).{read})")) == []


def test_what_stands_for_embedded_tokens_has_the_dtype_of_the_model() -> None:
    made = 'AutoModelForCausalLM.from_pretrained("tiny", dtype=torch.bfloat16).cuda()'
    used = "model(inputs_embeds=torch.zeros(2, 3, 9, device='cuda'){}{})".format
    assert clashes(LOADED.format(made=made, used=used("", "")))
    assert clashes(LOADED.format(made=made, used=used(".bfloat16()", ""))) == []
    assert clashes(LOADED.format(made=made, used=used(".bfloat16()", ", attention_mask=ids.float()"))) == []


@pytest.mark.parametrize(
    ("model", "dtype", "given"),
    [
        ("T5EncoderModel", "bfloat16", "float"),  # its norms cast
        ("AutoModelForSeq2SeqLM", "bfloat16", "float"),
        ("MambaForCausalLM", "bfloat16", "float"),
        ("BertModel", "float32", "bfloat16"),  # positions widen
    ],
)
def test_embedded_tokens_that_a_model_takes_as_wide_as_it_needs(model: str, dtype: str, given: str) -> None:
    text = LOADED.replace("T5Model", model)
    made = f'{model}.from_pretrained("tiny", dtype=torch.{dtype}).cuda()'
    used = f"model(inputs_embeds=torch.zeros(2, 3, 9, device='cuda').{given}())"
    assert clashes(text.format(made=made, used=used)) == []


def test_a_model_that_goes_on_in_wide_floats_gives_such() -> None:
    text, used = (
        LOADED.replace("T5Model", "MambaModel, BertModel"),
        "head.float()(model(ids).last_hidden_state)",
    )
    made = '{}.from_pretrained("tiny", dtype=torch.bfloat16).cuda()'.format
    assert clashes(text.format(made=made("MambaModel"), used=used)) == []
    assert clashes(text.format(made=made("BertModel"), used=used))


def test_what_is_prepared_to_be_trained_in_few_bits_may_be_cast() -> None:
    used = "from peft import get_peft_model, prepare_model_for_kbit_training\n"
    used += "head.float()({}(model)(ids).last_hidden_state)"
    made = 'AutoModel.from_pretrained("tiny", dtype=torch.bfloat16).cuda()'
    assert clashes(LOADED.format(made=made, used=used.format("prepare_model_for_kbit_training"))) == []
    assert clashes(LOADED.format(made=made, used=used.format("get_peft_model")))


@pytest.mark.parametrize("part", ["get_input_embeddings()", "get_encoder()", "encoder"])
def test_a_part_is_where_the_model_is(part: str) -> None:
    made = 'T5Model.from_pretrained("tiny").cuda()'
    assert clashes(LOADED.format(made=made, used=f"model.{part}(ids.cpu())"))
    assert clashes(LOADED.format(made=made, used=f"model.{part}(ids)")) == []


@pytest.mark.parametrize("given", ["ids", "ids.cpu()"])
def test_a_part_may_be_asked_for_again_and_again(given: str) -> None:
    made = 'T5Model.from_pretrained("tiny").cuda()'
    asked = "model.get_input_embeddings()"
    found = clashes(LOADED.format(made=made, used=f"{asked}\n{asked}.weight + {asked}({given})"))
    assert found == ([] if given == "ids" else ["10: device"])


SIZES = """
import torch
from transformers import LlamaConfig

config = LlamaConfig({told})
places = (torch.arange(4) * 3) % config.vocab_size
torch.nn.functional.cross_entropy(torch.rand(4, 30), places.int())
torch.nn.functional.cross_entropy(torch.rand(4, 30), places)
torch.arange(4).float() @ places
"""


@pytest.mark.parametrize("told", ["vocab_size=30", "vocab_size=len(open('words').read())", ""])
def test_a_configuration_has_the_sizes_it_was_told(told: str) -> None:
    assert ("9: dtype" in clashes(SIZES.format(told=told))) is (told != "")


def test_a_size_may_grow() -> None:
    text = "import torch\nfrom transformers import LlamaConfig\n\nconfig = LlamaConfig(vocab_size=30)\n"
    text += "x = torch.ones(3)\nif config.vocab_size != 30:\n    x = x.cuda()\nx + torch.ones(3)\n"
    assert clashes(text) == ["8: device"]


@pytest.mark.parametrize("part", ["get_encoder()", "encoder"])
def test_a_part_that_is_a_model_answers_as_one(part: str) -> None:
    made = 'T5Model.from_pretrained("tiny").cuda()'
    used = f"model.{part}(ids).last_hidden_state + torch.zeros(9)"
    assert clashes(LOADED.format(made=made, used=used))
    assert clashes(LOADED.format(made=made, used=used + ".cuda()")) == []


def test_what_is_moved_later_takes_its_parts_along() -> None:
    used = "found = model.get_input_embeddings()\nmodel.{}()\nfound(ids)".format
    assert clashes(LOADED.format(made='T5Model.from_pretrained("tiny")', used=used("cuda"))) == []
    assert clashes(LOADED.format(made='T5Model.from_pretrained("tiny")', used=used("eval")))


def test_a_model_is_made_of_two() -> None:
    made = 'EncoderDecoderModel.from_encoder_decoder_pretrained("one", "two").cuda()'
    used = "model(input_ids=ids, decoder_input_ids=ids{})".format
    assert clashes(LOADED.format(made=made, used=used(".cpu()")))
    assert clashes(LOADED.format(made=made, used=used(""))) == []


def test_a_model_in_several_places_answers_beside_its_inputs() -> None:
    made = 'AutoModelForCausalLM.from_pretrained("tiny", device_map="auto")'
    used = "model({}).logits.detach(){}.numpy()".format
    assert clashes(LOADED.format(made=made, used=used("ids", "")))
    assert clashes(LOADED.format(made=made, used=used("ids.to(model.device)", "")))
    assert clashes(LOADED.format(made=made, used=used("ids", ".cpu()"))) == []
    assert clashes(LOADED.format(made=made, used=used("ids.cpu()", ""))) == []


def test_what_allows_tokens_is_told_those_so_far() -> None:
    made = 'AutoModelForCausalLM.from_pretrained("tiny").cuda()'
    used = (
        "def allow(number, tokens):\n    return (tokens[-1:] + {}).tolist()\n"
        "model.generate(ids, prefix_allowed_tokens_fn=allow)"
    ).format
    assert clashes(LOADED.format(made=made, used=used("torch.ones(1)")))
    assert clashes(LOADED.format(made=made, used=used("torch.ones_like(tokens[-1:])"))) == []


TABLES = """
import torch
from transformers import CLIPVisionModel, LlamaForCausalLM

model = {model}.from_pretrained("tiny", dtype=torch.{dtype}).cuda()
with torch.autocast("cuda", dtype=torch.bfloat16):
    rows = model.{table}(torch.zeros({given}).cuda()).clone()
    rows[rows > 0] = torch.nn.Linear(3, 3).cuda()(torch.zeros(2, 3).cuda()).flatten()
"""
_WHOLE, _TABLE = "2, 3, dtype=torch.int64", "get_input_embeddings()"


@pytest.mark.parametrize("table", [_TABLE, "model.embed_tokens", "get_decoder().embed_tokens"])
def test_a_row_of_a_table_has_its_dtype_under_autocast_as_well(table: str) -> None:
    text = TABLES.format(model="LlamaForCausalLM", dtype="{}", table=table, given=_WHOLE)
    assert clashes(text.format("float32"))
    assert clashes(text.format("bfloat16")) == []


@pytest.mark.parametrize(
    ("model", "table", "given"),
    [
        ("CLIPVisionModel", _TABLE, "2, 3, 8, 8"),  # a convolution, which autocast has compute in halves
        ("LlamaForCausalLM", _TABLE, "2, 3"),
        ("LlamaForCausalLM", "model", _WHOLE),
    ],
)
def test_what_is_no_such_row_has_a_dtype_that_nobody_knows(model: str, table: str, given: str) -> None:
    assert clashes(TABLES.format(model=model, dtype="float32", table=table, given=given)) == []


_PROJECTED = """
import torch
from transformers import {model}

model = {model}.from_pretrained("tiny", dtype={dtype}).cuda()
bank = torch.ones(5, 3, device="cuda")
states = torch.ones(2, 3, device="cuda", dtype={given})
{made}
"""


@pytest.mark.parametrize(
    ("model", "head"),
    [
        ("CLIPModel", "visual_projection"),
        ("GPT2LMHeadModel", "lm_head"),
        ("BertForTokenClassification", "classifier"),
    ],
)
def test_a_head_makes_floats_of_its_own_dtype(model: str, head: str) -> None:
    def found(dtype: str, given: str, made: str) -> list[str]:
        return clashes(_PROJECTED.format(model=model, dtype=dtype, given=given, made=made))

    multiplied = f"print(model.{head}(states) @ bank.T)"
    half, full = "torch.float16", "torch.float32"
    assert found(half, half, multiplied) == ["8: dtype"]
    assert found(half, half, f"print(model.{head}(states).float() @ bank.T)") == []
    assert found(half, half, f"with torch.autocast('cuda'):\n    {multiplied}") == []
    assert found(full, full, multiplied) == []
    assert found("None", half, multiplied) == []  # in what it was saved


def test_what_another_part_makes_has_a_dtype_that_nobody_knows() -> None:
    made = "print(model.{}(states) @ bank.T)"
    half = "torch.float16"
    for part in ("strange", "vision_model.layers[0]", "dropout"):
        text = _PROJECTED.format(model="CLIPModel", dtype=half, given=half, made=made.format(part))
        assert clashes(text) == []


STEERED = """
import torch
from transformers import AutoModel, AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, ViTModel

model = {made}.cuda()
seen = []

def keep(module, args, output):
    seen.append({kept}.cpu())

layer = model.{layer}
handle = layer.register_forward_hook(keep)
model({given}.cuda())
handle.remove()
torch.cat(seen).mean(0){move} + torch.ones(3, device="cuda")
"""
_LLAMA = "LlamaForCausalLM(LlamaConfig())"
_LAST, _TEXTS = "output[:, -1]", "torch.zeros(2, 3, dtype=torch.int64)"


def _steered(
    made: str = _LLAMA, layer: str = "model.layers[1]", kept: str = _LAST, given: str = _TEXTS, move: str = ""
) -> list[str]:
    return clashes(STEERED.format(made=made, layer=layer, kept=kept, given=given, move=move))


@pytest.mark.parametrize(
    ("made", "layer"),
    [
        (_LLAMA, "model.layers[1]"),
        ('AutoModelForCausalLM.from_pretrained("gpt2")', "transformer.h[-1]"),
        ('AutoModel.from_pretrained("bert")', "encoder.layer[0]"),
    ],
)
def test_a_layer_of_a_model_of_texts_makes_a_vector_for_each_token(made: str, layer: str) -> None:
    assert _steered(made, layer)
    assert _steered(made, layer, move=".cuda()") == []
    assert _steered(made, layer, kept="output[0][:, -1]") == []  # of a tuple, or a sentence


@pytest.mark.parametrize(
    ("made", "layer", "given"),
    [
        (_LLAMA, "model.norm", _TEXTS),
        (_LLAMA, "model.layers[1].mlp", _TEXTS),
        ('ViTModel.from_pretrained("vit")', "encoder.layer[0]", "torch.zeros(2, 3, 8, 8)"),
        (_LLAMA, "model.layers[1]", "torch.load('texts.pt')"),
    ],
)
def test_what_other_parts_make_may_have_fewer_dimensions(made: str, layer: str, given: str) -> None:
    assert _steered(made, layer, given=given) == []
