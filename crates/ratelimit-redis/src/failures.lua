-- Counts an attempt of one subject as failed, ends one that is open, or forgets all failures.
--
--   KEYS[1]  the failures: a sorted set by their instants in microseconds
--   KEYS[2]  the wait that was imposed last: a hash of `wait`, `until` and the end of the wait before it, `before`, in microseconds
--   KEYS[3]  the open attempts: a sorted set by their instants in microseconds
--   ARGV[1]  count, fail, forgive or forget
--   ARGV[2]  with how many failures the next attempt waits
--   ARGV[3]  the length of the window in microseconds
--   ARGV[4]  the first wait in microseconds
--   ARGV[5]  the longest wait in microseconds
--   ARGV[6]  after how many microseconds an attempt is taken to have ended
--
-- Answers the microseconds that an attempt must wait, 0 when it was counted, and how many are open where it must. `FailuresInMemory` of the crate `sessions` has the same rules.

local failures, imposed, open, what = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local most, length, first, longest = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
if what == 'forget' then
    redis.call('DEL', failures, imposed, open)
    return {0, 0}
end

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

local function exact(number)
    return string.format('%.0f', number)
end

redis.call('ZREMRANGEBYSCORE', open, '-inf', exact(now - tonumber(ARGV[6])))
if what ~= 'count' then
    redis.call('ZPOPMIN', open)
end
if what == 'fail' then
    return {0, 0}
end

-- When the server's clock was turned back, failures seem to be of the future. They are taken as of now.
for _, member in ipairs(redis.call('ZRANGEBYSCORE', failures, '(' .. exact(now), '+inf')) do
    redis.call('ZADD', failures, exact(now), member)
end
redis.call('ZREMRANGEBYSCORE', failures, '-inf', exact(now - length))
local wait = tonumber(redis.call('HGET', imposed, 'wait') or '0')
local ends = tonumber(redis.call('HGET', imposed, 'until') or exact(now))
ends = math.min(ends, now + wait)
local before = tonumber(redis.call('HGET', imposed, 'before') or exact(ends))
if ends + length <= now then
    wait = 0
end

if what == 'count' then
    if now < ends then
        return {ends - now, redis.call('ZCARD', open)}
    end
    local counted = redis.call('ZCARD', failures)
    local place = counted
    while redis.call('ZADD', failures, 'NX', exact(now), exact(now) .. '-' .. place) == 0 do
        place = place + 1
    end
    redis.call('ZADD', open, exact(now), exact(now) .. '-' .. place)
    redis.call('PEXPIRE', open, math.ceil(tonumber(ARGV[6]) / 1000) + 1)
    before = ends
    if counted + 1 >= most or wait > 0 then
        wait = math.min(math.max(wait * 2, first), longest)
        ends = now + wait
    end
else
    redis.call('ZPOPMAX', failures)
    wait = wait > first and wait / 2 or 0
    ends = math.min(before, now)
    if wait == 0 and redis.call('ZCARD', failures) == 0 then
        redis.call('DEL', failures, imposed, open)
        return {0, 0}
    end
end

redis.call('HSET', imposed, 'wait', exact(wait), 'until', exact(ends), 'before', exact(before))
-- The expiry only tidies up: it must not come before the last failure has left and the wait is forgotten.
local kept = math.ceil((math.max(ends - now, 0) + length) / 1000) + 1
redis.call('PEXPIRE', failures, kept)
redis.call('PEXPIRE', imposed, kept)
return {0, 0}
