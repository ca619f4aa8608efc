"""Page style: how the page of a report looks, and what shows and hides the findings of a rule in it."""

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --error: #cf222e; --warning: #9a6700; --note: #0969da }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin-top: 2rem } h3 { font-size: 1rem; font-family: ui-monospace, monospace }
section { border: 1px solid var(--line); border-left-width: 4px; border-radius: 6px; margin: 1rem 0; padding: .1rem 1rem }
section.error { border-left-color: var(--error) } section.warning { border-left-color: var(--warning) }
section.note { border-left-color: var(--note) } li.error, p.error { color: var(--error) }
code, pre { font: 13px/1.5 ui-monospace, monospace } pre { background: var(--soft); padding: .5rem; overflow-x: auto }
mark { background: #ff818266; color: inherit } .line, .quiet, footer { opacity: .65 }
ins, del { text-decoration: none; display: inline-block; min-width: 100% } ins { background: #4ac26b44 } del { background: #ff818244 }
table { border-collapse: collapse } td, th { border-bottom: 1px solid var(--line); padding: .25rem .8rem; text-align: left }
.number { text-align: right } summary { cursor: pointer } section > :last-child { margin-bottom: .7rem } footer { margin-top: 3rem }
"""
SCRIPT = """
for (const box of document.querySelectorAll("input[type=checkbox]"))
  box.addEventListener("change", () => {
    for (const section of document.querySelectorAll("section"))
      if (section.dataset.rule === box.value) section.hidden = !box.checked;
  });
"""
