"""Requests to the servers, many at once, with the answers that are right. Each connection has keys of its own, so an answer does not depend on
what other connections do."""
from programs_suite import Trouble


def talk(stream, batch, rounds, goodbye):
    """Sends the batch on every connection, then reads all answers, the given number of times; returns the part that is the same in every run."""
    pairs = [batch(number) for number in range(len(stream.files))]
    requests = [b"".join(request for request, _ in each) for each in pairs]
    answers = [b"".join(answer for _, answer in each) for each in pairs]
    for _ in range(rounds):
        for file, request in zip(stream.files, requests):
            file.write(request)
            file.flush()
        for file, answer in zip(stream.files, answers):
            got = file.read(len(answer))
            if got != answer:
                raise Trouble(f"the server answers {got[:100]!r}…")
    stream.ask(0, goodbye, 0)
    return "all answers are right"


MEMCACHED_KEYS, REDIS_KEYS = 400, 160  # of a connection, in one round


def memcached_batch(number, keys=MEMCACHED_KEYS):
    pairs = []
    for index in range(keys):
        key, value = b"k%d.%d" % (number, index), b"%d " % index * (10 + index % 30)
        found = b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (key, len(value), value)
        pairs += [(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value), b"STORED\r\n"), (b"get %s\r\n" % key, found),
                  (b"append %s 0 0 2\r\nxy\r\n" % key, b"STORED\r\n"), (b"delete none%d\r\n" % index, b"NOT_FOUND\r\n"),
                  (b"set n%s 0 0 1\r\n5\r\n" % key, b"STORED\r\n"), (b"incr n%s %d\r\n" % (key, index), b"%d\r\n" % (5 + index))]
    return pairs


def bulk(text):
    return b"$%d\r\n%s\r\n" % (len(text), text)


def redis_batch(number, keys=REDIS_KEYS):
    """Ends with the keys that it begins with: none. Big values are freed by a thread of the server's own."""
    pairs = []
    for index in range(keys):
        key = b"k%d.%d" % (number, index)
        pairs += [(b"SET %s value%d\r\n" % (key, index), b"+OK\r\n"), (b"GET %s\r\n" % key, bulk(b"value%d" % index)),
                  (b"APPEND %s xyz\r\n" % key, b":%d\r\n" % (len(b"value%d" % index) + 3)),
                  (b"STRLEN %s\r\n" % key, b":%d\r\n" % (len(b"value%d" % index) + 3)),
                  (b"INCRBY n%s %d\r\n" % (key, index), b":%d\r\n" % index)]
        words = [b"w%d" % (word * 37 % 100) for word in range(80)]
        pairs.append((b"RPUSH l%s %s\r\n" % (key, b" ".join(words)), b":80\r\n"))
        pairs.append((b"LRANGE l%s 10 19\r\n" % key, b"*10\r\n" + b"".join(map(bulk, words[10:20]))))
        pairs.append((b"SORT l%s ALPHA LIMIT 0 5\r\n" % key, b"*5\r\n" + b"".join(map(bulk, sorted(words)[:5]))))
        scores = b" ".join(b"%d m%d" % (word * 37 % 100, word) for word in range(40))
        pairs.append((b"ZADD z%s %s\r\n" % (key, scores), b":40\r\n"))
        ranked = sorted(range(40), key=lambda word: word * 37 % 100)
        pairs.append((b"ZRANGE z%s 0 4\r\n" % key, b"*5\r\n" + b"".join(bulk(b"m%d" % word) for word in ranked[:5])))
        pairs.append((b"UNLINK %s n%s l%s z%s\r\n" % (key, key, key, key), b":4\r\n"))
    return pairs
