import hashlib, json, urllib.request
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.linkextractors import LinkExtractor

class RecrawlFrontier:
    """Fetches the URLs that recrawl gives, and reports the outcomes."""

    def __init__(self, crawler):
        self.crawler, self.at = crawler, crawler.settings["RECRAWL_FRONTIER"]
        crawler.signals.connect(self.ask, signals.spider_idle)
        crawler.signals.connect(self.tell, signals.response_received)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def call(self, path, body):
        r = urllib.request.Request(self.at + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(r))

    def ask(self, spider):
        for u in self.call("/v1/next", {"queues": 16, "per_queue": 8, "lease_seconds": 600})["urls"]:
            self.crawler.engine.crawl(Request(u["url"], dont_filter=True))
        raise DontCloseSpider  # more will come

    def tell(self, response, request, spider):
        html = hasattr(response, "text")
        self.call("/v1/outcomes", {"outcomes": [{
            "url": request.url, "status": response.status, "size": len(response.body),
            "digest": hashlib.md5(response.body).hexdigest(),
            "links": [l.url for l in LinkExtractor().extract_links(response)] if html else [],
        }]})
