-- Runs every driver on its scripts.
local total = 0
for line in io.lines("index.txt") do
  local stem, traced = line:match("^(%S+) (%d)$")
  local lines = {}
  for step in io.lines(stem .. ".script") do lines[#lines + 1] = step end
  assert(table.remove(lines) == "Q", "the script is cut off")
  total = total + require(stem .. "_driver")(lines, traced == "1")
end
print("steps " .. total)
