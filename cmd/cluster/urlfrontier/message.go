package urlfrontier

import (
	"math"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

// date returns the time at a number of seconds since 1970. 0 gives the zero time.
func date(seconds uint64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(int64(min(seconds, math.MaxUint32)), 0).UTC()
}

func unix(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.Unix())
}

// item converts a URLInfo for the frontier. The metadata become a URLInfo without other fields.
func item(info *pb.URLInfo) frontier.Item {
	it := frontier.Item{Crawl: info.GetCrawlID(), Key: info.GetKey(), URL: info.GetUrl()}
	if len(info.GetMetadata()) > 0 {
		it.Metadata = encoded(info.Metadata)
	}
	return it
}

func marshal(m map[string]*pb.StringList) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(&pb.URLInfo{Metadata: m})
}

func encoded(m map[string]*pb.StringList) []byte {
	b, err := marshal(m)
	if err != nil { // the reader of the message refused strings that are not UTF-8
		panic("metadata that were read cannot be written: " + err.Error())
	}
	return b
}

func urlInfo(it *frontier.Item) (*pb.URLInfo, error) {
	info := &pb.URLInfo{}
	if err := proto.Unmarshal(it.Metadata, info); err != nil {
		return nil, err
	}
	info.Url, info.Key, info.CrawlID = it.URL, it.Key, it.Crawl
	return info, nil
}

func urlItem(it *frontier.Item) (*pb.URLItem, error) {
	info, err := urlInfo(it)
	if err != nil {
		return nil, err
	}
	return &pb.URLItem{
		Item: &pb.URLItem_Known{Known: &pb.KnownURLItem{Info: info,
			RefetchableFromDate: unix(it.Date)}},
		CreationDate: unix(it.Created),
	}, nil
}

// acks maps a status of the frontier to that of the API.
var acks = [...]pb.AckMessage_Status{
	frontier.Stored: pb.AckMessage_OK, frontier.Skipped: pb.AckMessage_SKIPPED,
	frontier.Failed: pb.AckMessage_FAIL,
}
