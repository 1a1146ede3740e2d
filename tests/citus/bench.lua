-- Requests of many accounts in turns. BENCH_KEYS has a line `key contact invoice` for each account; BENCH_CASE is post, get or list.
local keys, threads = {}, 0
for line in io.lines(os.getenv("BENCH_KEYS")) do
    local key, contact, invoice = line:match("(%S+) (%S+) (%S+)")
    keys[#keys + 1] = { key = key, contact = contact, invoice = invoice }
end
local case = os.getenv("BENCH_CASE")
local round = os.getenv("BENCH_ROUND")

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

local count = 0
function request()
    count = count + 1
    local account = keys[(count * 7 + number * 31) % #keys + 1]
    local headers = { ["Authorization"] = "Bearer " .. account.key, ["Content-Type"] = "application/json" }
    if case == "list" then
        return wrk.format("GET", "/api/v1/invoices?limit=25", headers)
    end
    if case == "get" then
        return wrk.format("GET", "/api/v1/invoices/" .. account.invoice, headers)
    end
    headers["Idempotency-Key"] = round .. "-" .. number .. "-" .. count
    local body = '{"contact":{"id":"' .. account.contact .. '"},"line_items":[' ..
        '{"description":"Consulting","quantity":2,"unit_amount":50,"tax_rate":10},' ..
        '{"description":"Travel","quantity":1,"unit_amount":120,"tax_rate":10},' ..
        '{"description":"Materials","quantity":4,"unit_amount":9.5,"tax_rate":10}]}'
    return wrk.format("POST", "/api/v1/invoices", headers, body)
end


function done(summary, latency)
    io.write(string.format("RESULT %f %f %f %d\n", summary.requests / (summary.duration / 1e6),
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.errors.status))
end
