package urlfrontier

import (
	"context"
	"log/slog"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

// usualPage is the number of results in a list if the request has none.
const usualPage = 100

// service answers the calls of the API.
type service struct {
	pb.UnimplementedURLFrontierServer
	frontier *frontier.Frontier
	address  string
	now      func() time.Time
	log      *slog.Logger
	level    *slog.LevelVar
}

// fault converts an error of the frontier, which comes from the disk, to one of the call.
func (s *service) fault(err error) error {
	if err == nil || status.Code(err) != codes.Unknown {
		return err
	}
	s.log.Error("call failed", "err", err)
	return status.Error(codes.Unavailable, err.Error())
}

func (s *service) empty(err error) (*pb.Empty, error) {
	if err != nil {
		return nil, s.fault(err)
	}
	return &pb.Empty{}, nil
}

func (s *service) long(n int, err error) (*pb.Long, error) {
	if err != nil {
		return nil, s.fault(err)
	}
	return &pb.Long{Value: uint64(n)}, nil
}

func (s *service) ListNodes(context.Context, *pb.Empty) (*pb.StringList, error) {
	return &pb.StringList{Values: []string{s.address}}, nil
}

func (s *service) ListCrawls(context.Context, *pb.Local) (*pb.StringList, error) {
	return &pb.StringList{Values: s.frontier.Crawls()}, nil
}

func (s *service) ListQueues(_ context.Context, r *pb.Pagination) (*pb.QueueList, error) {
	keys, total := s.frontier.Queues(r.CrawlID, r.IncludeInactive, int(r.Start), page(r.Size),
		s.now())
	return &pb.QueueList{
		Values: keys, Total: uint64(total), Start: r.Start, Size: uint32(len(keys)),
		CrawlID: frontier.CrawlName(r.CrawlID),
	}, nil
}

func page(size uint32) int {
	if size == 0 {
		return usualPage
	}
	return int(size)
}

func (s *service) GetStats(_ context.Context, r *pb.QueueWithinCrawlParams) (*pb.Stats, error) {
	stats := s.frontier.Stats(r.CrawlID, r.Key, s.now())
	return &pb.Stats{
		Size: uint64(stats.Active), InProcess: uint32(stats.Transit),
		NumberOfQueues: uint64(stats.Queues),
		Counts: map[string]uint64{
			"completed": uint64(stats.Done), "active_queues": uint64(stats.ActiveQueues),
		},
		CrawlID: frontier.CrawlName(r.CrawlID),
	}, nil
}

func (s *service) DeleteCrawl(_ context.Context, r *pb.DeleteCrawlMessage) (*pb.Long, error) {
	return s.long(s.frontier.DeleteCrawl(r.Value))
}

func (s *service) DeleteQueue(_ context.Context, r *pb.QueueWithinCrawlParams) (*pb.Long, error) {
	return s.long(s.frontier.DeleteQueue(r.CrawlID, r.Key))
}

func (s *service) PurgeURLs(_ context.Context, r *pb.PurgeUrlParams) (*pb.Long, error) {
	before := s.now().Add(-time.Duration(r.Days) * 24 * time.Hour)
	if time.Duration(r.Days) > time.Duration(s.now().Unix())/(24*60*60) {
		return &pb.Long{}, nil // before 1970
	}
	return s.long(s.frontier.Purge(r.CrawlID, r.Key, before))
}

func (s *service) CountURLs(_ context.Context, r *pb.CountUrlParams) (*pb.Long, error) {
	return s.long(s.frontier.Count(frontier.Filter{
		Crawl: r.CrawlID, Key: r.Key, Part: r.GetFilter(), IgnoreCase: r.GetIgnoreCase(),
	}))
}

func (s *service) BlockQueueUntil(_ context.Context, r *pb.BlockQueueParams) (*pb.Empty, error) {
	return s.empty(s.frontier.BlockUntil(r.CrawlID, r.Key, date(r.Time), s.now()))
}

func (s *service) SetDelay(_ context.Context, r *pb.QueueDelayParams) (*pb.Empty, error) {
	delay := time.Duration(r.DelayRequestable) * time.Second
	return s.empty(s.frontier.SetDelay(r.CrawlID, r.Key, delay, s.now()))
}

func (s *service) SetCrawlLimit(_ context.Context, r *pb.CrawlLimitParams) (*pb.Empty, error) {
	return s.empty(s.frontier.SetLimit(r.CrawlID, r.Key, r.Limit, s.now()))
}

func (s *service) SetActive(_ context.Context, r *pb.Active) (*pb.Empty, error) {
	return s.empty(s.frontier.SetActive(r.State))
}

func (s *service) GetActive(context.Context, *pb.Local) (*pb.Boolean, error) {
	return &pb.Boolean{State: s.frontier.Active()}, nil
}

// SetLogLevel sets the level of the whole server. It ignores the package of the request.
func (s *service) SetLogLevel(_ context.Context, r *pb.LogLevelParams) (*pb.Empty, error) {
	levels := map[pb.LogLevelParams_Level]slog.Level{
		pb.LogLevelParams_TRACE: slog.LevelDebug - 4, pb.LogLevelParams_DEBUG: slog.LevelDebug,
		pb.LogLevelParams_INFO: slog.LevelInfo, pb.LogLevelParams_WARN: slog.LevelWarn,
		pb.LogLevelParams_ERROR: slog.LevelError,
	}
	level, ok := levels[r.Level]
	if !ok {
		return nil, status.Errorf(codes.InvalidArgument, "level %d: want TRACE to ERROR", r.Level)
	}
	s.level.Set(level)
	return &pb.Empty{}, nil
}

func (s *service) GetURLStatus(_ context.Context, r *pb.URLStatusRequest) (*pb.URLItem, error) {
	if r.Url == "" {
		return nil, status.Error(codes.InvalidArgument, "the request has no url")
	}
	it, ok, err := s.frontier.Look(r.CrawlID, r.Key, r.Url)
	switch {
	case err != nil:
		return nil, s.fault(err)
	case !ok:
		return nil, status.Errorf(codes.NotFound, "%s is not in the frontier", r.Url)
	}
	return urlItem(&it)
}

func (s *service) ListURLs(r *pb.ListUrlParams, stream pb.URLFrontier_ListURLsServer) error {
	filter := frontier.Filter{Crawl: r.CrawlID, Key: r.Key, Part: r.GetFilter(),
		IgnoreCase: r.GetIgnoreCase()}
	return s.fault(s.frontier.List(filter, int(r.Start), page(r.Size),
		func(it frontier.Item) error {
			item, err := urlItem(&it)
			if err != nil {
				return err
			}
			return stream.Send(item)
		}))
}

func (s *service) GetURLs(r *pb.GetParams, stream pb.URLFrontier_GetURLsServer) error {
	request := frontier.Request{
		Crawl: r.GetCrawlID(), Key: r.Key, Queues: int(r.MaxQueues),
		PerQueue: int(r.MaxUrlsPerQueue),
		Lease:    time.Duration(r.DelayRequestable) * time.Second,
	}
	if _, one := r.Item.(*pb.GetParams_CrawlID); !one {
		request.AnyCrawl = true
	}
	items, err := s.frontier.Get(request, s.now())
	if err != nil {
		return s.fault(err)
	}
	s.log.Debug("addresses given", "queues", r.MaxQueues, "given", len(items))
	for i := range items {
		info, err := urlInfo(&items[i])
		if err != nil {
			return s.fault(err)
		}
		if err := stream.Send(info); err != nil {
			return err
		}
	}
	return nil
}
