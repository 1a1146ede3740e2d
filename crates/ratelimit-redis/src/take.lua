-- Counts one request in the rolling window of one key, if it fits into the quota.
--
--   KEYS[1]  the window: a sorted set of the requests that were counted, by their instants in microseconds
--   ARGV[1]  the quota
--   ARGV[2]  the length of the window in microseconds
--
-- Answers {1 when it was counted, else 0; how many were counted before it; microseconds until the oldest leaves}.
--
-- Microseconds since 1970 stay below 2^53 until the year 2255, so Lua's doubles hold them exactly. Turning a number into text is what
-- would lose digits (Lua keeps 14), hence `exact`.

local window, quota, length = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

local function exact(number)
    return string.format('%.0f', number)
end

-- When the server's clock was turned back, requests seem to have been counted in the future. They are taken as counted now, so that
-- they leave after one window and not after the whole step.
for _, member in ipairs(redis.call('ZRANGEBYSCORE', window, '(' .. exact(now), '+inf')) do
    redis.call('ZADD', window, exact(now), member)
end
redis.call('ZREMRANGEBYSCORE', window, '-inf', exact(now - length))

local counted = redis.call('ZCARD', window)
local allowed = counted < quota
if allowed then
    -- Several requests may come in one microsecond; each needs a member of its own.
    local place = counted
    while redis.call('ZADD', window, 'NX', exact(now), exact(now) .. '-' .. place) == 0 do
        place = place + 1
    end
end
-- The expiry counts whole milliseconds and only tidies up: it must not come before the last request has left.
redis.call('PEXPIRE', window, math.ceil(length / 1000) + 1)

local oldest = redis.call('ZRANGE', window, 0, 0, 'WITHSCORES')[2] or now
return { allowed and 1 or 0, counted, oldest + length - now }
