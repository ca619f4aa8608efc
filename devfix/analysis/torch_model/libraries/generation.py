"""``model.generate(...)`` of transformers: what it returns, and what of the project it calls at each step."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, UNKNOWN_DEVICE
from devfix.analysis.domain.values import NONE, TRUE, External, Obj, Ref, Scalar, Tensor, Value, without_none
from devfix.analysis.language import containers
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.libraries import model_outputs
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Models that answer with tokens, and the fact that a model's code comes with its weights.
_LANGUAGE, FOREIGN = re.compile(r"CausalLM|LMHead|Seq2SeqLM"), "foreign"
#: Models that encode the prompt as it is before they write: whatever the release, that has to be where they are.
_ENCODING = re.compile(
    r"((M|P[Ll])?Bart|BigBirdPegasus|Blenderbot(Small)?|FSMT|LED|Long[Tt]5|M2M100|MT5|Mvp|NllbMoe|Pegasus(X)?|(XLM)?ProphetNet|"
    r"SwitchTransformers|T5|UMT5)ForConditionalGeneration|AutoModelForSeq2SeqLM|EncoderDecoderModel|MarianMTModel"
)
#: Models that tell from the mask where each token of the prompt stands, which their first layer looks up or turns by: the mask
#: has to be where they are, unless the prompt is elsewhere too, with which some releases move it.
_COUNTING = re.compile(
    r"(GPT2|OpenAIGPT)LMHeadModel|AutoModelForCausalLM|"
    r"(Cohere\d?|Falcon|GPT(Neo|NeoX|BigCode)|Gemma\d?|Granite|Llama|M(ini|i)stral|Mixtral|OPT|Olmo\d?|Phi\d?|"
    r"Qwen\d|SmolLM3|StableLm|Starcoder2)ForCausalLM"
)
_PROMPTS = frozenset({"argument 1", "inputs", "input_ids", "inputs_embeds"})
_MASK = "attention_mask"
#: Lists of what is called at each step with the tokens so far and the scores of the next one.
_CALLED = ("logits_processor", "stopping_criteria")
#: What is called with the number of each sentence and its tokens so far.
_ALLOWING = "prefix_allowed_tokens_fn"
LISTS = ("transformers.LogitsProcessorList", "transformers.StoppingCriteriaList")


def generate(interp: Interpreter, obj: Obj, place: Tensor, site: CallSite) -> Value:
    """What ``generate`` returns, the tokens of a language model: beside the model, unless the prompt is elsewhere.

    Newer releases of transformers take a prompt on the CPU and answer there, older ones raise. Other models answer
    with sounds, and what a repository brings along for its model with whatever it likes.
    """
    given = {role: arg.value for role, arg in site.keywords.items() if role != _MASK}
    values = [without_none(value) for value in (*(arg.value for arg in site.args), *given.values())]
    prompts = [value.device for value in values if isinstance(value, Tensor)]
    beside = all(device == place.device for device in prompts)
    trail = (interp.site("result", site.node),)
    device = place.device if beside else UNKNOWN_DEVICE
    made = Tensor(device, None, AT_LEAST_1, grad=False, trail=trail)
    speaks = _LANGUAGE.search(getattr(obj.cls, "name", "")) and FOREIGN not in obj.facts
    tokens = replace(made, dtype="int64") if speaks else made
    _step(interp, tokens, made, site)
    return model_outputs.make(interp, made) if site.value(None, "return_dict_in_generate") == TRUE else tokens


def encoded(obj: Obj, parts: list[Part]) -> list[Part]:
    """The prompt among the operands, where the model encodes it before it writes; some releases move what masks it."""
    name = getattr(obj.cls, "name", "").rpartition(".")[2]
    if not _ENCODING.fullmatch(name) or "dispatched" in obj.facts:
        return []
    return [part for part in parts if part.role in _PROMPTS]


def counted(obj: Obj, place: Tensor, parts: list[Part]) -> list[Part]:
    """The prompt beside the model and its mask, where the model tells from the mask where the tokens stand."""
    name = getattr(obj.cls, "name", "").rpartition(".")[2]
    if not _COUNTING.fullmatch(name) or obj.facts.keys() & {"dispatched", FOREIGN}:
        return []
    prompts = [part for part in parts if part.role in _PROMPTS and part.tensor.device == place.device]
    masks = [part for part in parts if part.role == _MASK]
    return [*prompts, *masks] if prompts and masks else []


def _step(interp: Interpreter, tokens: Tensor, scores: Tensor, site: CallSite) -> None:
    """Call the project's own ``LogitsProcessor`` and ``StoppingCriteria`` objects as one step does, and what allows tokens."""
    for role in _CALLED:
        held = interp.obj_of(site.value(None, role))
        for called in containers.everything(held) if held is not None and held.kind == "list" else ():
            if isinstance(called, Ref):
                answer = interp.call(called, CallSite(site.node, (Arg(tokens), Arg(scores))))
                _meet(interp, role, answer, tokens, site)
    allowing = site.value(None, _ALLOWING)
    if allowing not in (None, NONE):
        interp.call(allowing, CallSite(site.node, (Arg(Scalar("int")), Arg(replace(tokens, rank=1)))))


def _meet(interp: Interpreter, role: str, answer: Value, tokens: Tensor, site: CallSite) -> None:
    """What is answered for each sentence is put together with what others answer, which is beside the tokens."""
    if isinstance(answer, Tensor):
        given = site.keywords.get(role)
        parts = [Part(tokens, "input_ids"), Part(answer, role, given and given.node, held=True)]
        requirements.meet(interp, site.node, "generate", parts)


def listed(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``LogitsProcessorList([...])``, which is a list."""
    return interp.call(External("builtins.list"), site)
