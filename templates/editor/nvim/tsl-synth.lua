-- Neovim 0.7 or later: put this file into a folder `plugin` of your configuration, such as
-- ~/.config/nvim/plugin/tsl-synth.lua. `tsl-synth` has to be on the path.
local languages = { tsl = "tsl", tlsf = "tlsf", ltl = "ltl" }
local program = vim.g.tsl_synth_path or "tsl-synth"

for ending, language in pairs(languages) do
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    pattern = "*." .. ending,
    callback = function(event)
      vim.bo[event.buf].filetype = language
    end,
  })
end

local client

-- Neovim 0.7 has no `vim.lsp.start`, and later versions may lack `vim.lsp.start_client`.
local function start(buffer)
  local config = { name = "tsl-synth", cmd = { program, "lsp" }, root_dir = vim.fn.getcwd() }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  config.on_exit = function()
    client = nil
  end
  client = client or vim.lsp.start_client(config)
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = vim.tbl_values(languages),
  callback = function(event)
    vim.bo[event.buf].commentstring = "// %s"
    start(event.buf)
  end,
})

-- The commands of the code lenses of the server.
vim.lsp.commands = vim.lsp.commands or {}
for _, verb in ipairs({ "check", "view", "simulate" }) do
  vim.lsp.commands["tsl-synth." .. verb] = function(command)
    local file = vim.uri_to_fname(command.arguments[1])
    vim.cmd("botright new")
    vim.fn.termopen({ program, verb, "--", file })
  end
end
