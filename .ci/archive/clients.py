"""Asks recrawl replay with clients of others: cdx-toolkit and wayback for its index, memento-client for its
TimeGate. What they see must be what warcio reads of the files.

    python3 clients.py ADDRESS FILE...     ADDRESS: at which recrawl replay listens, as http://127.0.0.1:8088
"""
import datetime
import sys

import cdx_toolkit
import memento_client
import wayback
import wayback._client
from warcio.archiveiterator import ArchiveIterator

base, files = sys.argv[1], sys.argv[2:]
captures = {}  # moments by address
for file in files:
    with open(file, 'rb') as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type in ('response', 'revisit', 'resource'):
                moment = record.rec_headers.get_header('WARC-Date')[:19]
                captures.setdefault(record.rec_headers.get_header('WARC-Target-URI'), set()).add(moment)
faults = []


def check(what, got, want):
    if got != want:
        faults.append(f'{what}: {got!r}, want {want!r}')


def iso(stamp):
    return datetime.datetime.strptime(stamp, '%Y%m%d%H%M%S').isoformat()


# wayback asks its own server by constants, and has no other way. Two lines at a time: it goes on by resumeKey.
wayback._client.CDX_SEARCH_URL = base + '/cdx/search/cdx'
session = wayback.WaybackSession(search_calls_per_second=0, memento_calls_per_second=0)
searches = wayback.WaybackClient(session)
toolkit = cdx_toolkit.CDXFetcher(source=base + '/cdx', wb=base + '/web')
# The page itself is asked first by this client, and is not there any more.
memento_client.MementoClient.get_original_uri = lambda self, uri, **kwargs: uri
gates = memento_client.MementoClient(timegate_uri=base + '/web/', check_native_timegate=False)

sample = sorted(captures, key=lambda url: (-len(captures[url]), url))[:40]
for url in sample:
    moments = captures[url]
    found = [c for c in toolkit.get(url, limit=100000) if c['url'] == url]
    check(f'cdx-toolkit: moments of {url}', {iso(c['timestamp']) for c in found}, moments)
    found = [c for c in searches.search(url, limit=2) if c.original == url]
    check(f'wayback: moments of {url}', {c.timestamp.replace(tzinfo=None).isoformat() for c in found}, moments)
    for moment in sorted(moments)[:3]:
        at = datetime.datetime.fromisoformat(moment)
        nearest = gates.get_memento_info(url, at)['mementos']['closest']
        check(f'memento-client: capture of {url} at {moment}', nearest['datetime'], at)

hosts = {url.split('/')[2] for url in captures if url.count('/') > 2 and ':' not in url.split('/')[2]}
for host in sorted(hosts)[:3]:
    want = {(url, moment) for url in captures if url.split('/')[2] == host for moment in captures[url]}
    got = {(c['url'], iso(c['timestamp'])) for c in toolkit.iter(host, matchType='host')}
    check(f'cdx-toolkit: captures of {host}', {pair for pair in got if pair[0].split('/')[2] == host}, want)

print(f'cdx-toolkit, wayback, memento-client: {len(sample)} addresses with {sum(len(captures[u]) for u in sample)} '
      f'captures, {len(hosts)} hosts: {len(faults)} faults')
if faults or not sample:
    print('\n'.join(faults[:20]), file=sys.stderr)
    sys.exit(1)
