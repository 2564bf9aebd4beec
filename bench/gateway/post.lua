-- wrk's request: a short chat, always the same; the model's name is the script's argument.
function init(arguments)
  local body = string.format(
    '{"model":"%s","messages":[{"role":"user","content":"hello there"}]}', arguments[1])
  request_text = wrk.format("POST", "/v1/chat/completions",
    {["Content-Type"] = "application/json", ["Authorization"] = "Bearer sk-bench"}, body)
end

function request()
  return request_text
end

function response(status)
  if status ~= 200 then
    refused = (refused or 0) + 1
  end
end

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function done(summary, latency)
  local refusals = 0
  for _, thread in ipairs(threads) do
    refusals = refusals + (thread:get("refused") or 0)
  end
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format(
    '{"requests_per_second": %.1f, "median_us": %d, "p99_us": %d, "refused": %d, "errors": %d}\n',
    summary.requests / (summary.duration / 1e6), latency:percentile(50), latency:percentile(99), refusals, errors))
end
