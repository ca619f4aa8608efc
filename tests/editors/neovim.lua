-- Drives a real Neovim: the finding is shown, its quick fix is taken, it is undone, and all is fixed and saved.
-- Run by tests/test_editor_neovim.py, which says by DEVFIX_TEST what to open and where the account goes.

local test = vim.fn.json_decode(os.getenv('DEVFIX_TEST'))
local account = {}
local patience = 60000

local function wait_for_findings(count)
  local there = vim.wait(patience, function() return #vim.diagnostic.get(0) == count end, 20)
  local shown = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    table.insert(shown, { line = each.lnum, column = each.col, ends = each.end_col, message = each.message,
                          source = each.source, code = each.user_data and each.user_data.lsp.code or each.code })
  end
  assert(there, 'not ' .. count .. ' findings but ' .. vim.inspect(shown))
  return shown
end

local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n' end

local function ask(method, params)
  local answers = assert(vim.lsp.buf_request_sync(0, method, params, patience))
  local _, answer = next(answers)
  assert(answer and answer.result, method .. ': ' .. vim.inspect(answer))
  return answer.result
end

local function choose(client, range, only, is_wanted)
  local params = { textDocument = vim.lsp.util.make_text_document_params(), range = range,
                   context = { diagnostics = {}, only = only } }
  for _, action in ipairs(ask('textDocument/codeAction', params)) do
    if is_wanted(action) then
      local resolved = action.edit and action or ask('codeAction/resolve', action)
      vim.lsp.util.apply_workspace_edit(resolved.edit, client.offset_encoding)
      return action.title
    end
  end
  error('the action is not offered')
end

local function drive()
  vim.cmd('edit ' .. test.file)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  local id = vim.lsp.start_client({ name = 'devfix', cmd = test.command, root_dir = test.folder, capabilities = capabilities })
  vim.lsp.buf_attach_client(0, assert(id))
  account.shown = wait_for_findings(1)
  local client = vim.lsp.get_client_by_id(id)
  account.encoding = client.offset_encoding

  local line = account.shown[1].line
  local here = { start = { line = line, character = 0 }, ['end'] = { line = line + 1, character = 0 } }
  account.fix = choose(client, here, nil, function(action) return action.isPreferred end)
  account.after_fix = text()
  wait_for_findings(0)

  vim.cmd('silent undo')
  wait_for_findings(1)
  vim.api.nvim_buf_set_lines(0, -1, -1, false, test.more)
  wait_for_findings(1 + #test.more)
  local whole = { start = { line = 0, character = 0 }, ['end'] = { line = vim.api.nvim_buf_line_count(0), character = 0 } }
  account.fix_all = choose(client, whole, { 'source.fixAll' }, function(action) return action.kind == 'source.fixAll.devfix' end)
  wait_for_findings(0)
  vim.cmd('silent write')
  account.after_fix_all = text()

  vim.lsp.stop_client(id)
  vim.wait(patience, function() return vim.lsp.get_client_by_id(id) == nil end, 20)
end

local fine, fault = xpcall(drive, debug.traceback)
account.fault = not fine and fault or nil
vim.fn.writefile({ vim.fn.json_encode(account) }, test.account)
vim.cmd('qall!')
