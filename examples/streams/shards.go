package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/examples/report"
)

// holderOf returns the process that reads a table.
func (s *story) holderOf(ctx context.Context, table *dynastay.Schema) (*process, error) {
	shards, err := s.watch.Shards(ctx)
	for _, shard := range shards {
		if shard.Table == s.db.TableName(table) && s.owners[shard.Owner] == s.a.name {
			return s.a, err
		}
	}
	return s.b, err
}

func (s *story) untilShared(ctx context.Context, starting *process) error {
	return s.untilHeld(ctx, starting, map[string]int{s.a.name: streamed / 2, s.b.name: streamed / 2})
}

// untilHeld waits until each process holds the given number of shards. An owner that is not known yet is the process
// that is starting.
func (s *story) untilHeld(ctx context.Context, starting *process, want map[string]int) error {
	return until(ctx, fmt.Sprintf("the processes hold %v shards", want), func() (bool, error) {
		shards, err := s.watch.Shards(ctx)
		has := map[string]int{}
		for _, shard := range shards {
			if shard.Owner == "" {
				continue
			}
			if s.owners[shard.Owner] == "" {
				s.owners[shard.Owner] = starting.name
			}
			has[s.owners[shard.Owner]]++
		}
		return maps.Equal(has, want), err
	})
}

// showHandled prints how far behind the processes are, and how far after they have handled everything until now. A
// shard tells the time before which all its changes have been handled. On DynamoDB, a shard may answer that it has no
// changes although it has, so this is right for local engines only.
func (s *story) showHandled(ctx context.Context, out *report.Findings) error {
	last := time.Now()
	var before, after time.Duration
	err := until(ctx, "all changes are handled", func() (bool, error) {
		now := time.Now()
		shards, err := s.watch.Shards(ctx)
		if err != nil {
			return false, err
		}
		after = slices.MaxFunc(shards, func(a, b consumer.Shard) int { return cmp.Compare(a.Behind, b.Behind) }).Behind
		before = cmp.Or(before, after)
		return now.Add(-after).After(last), nil
	})
	out.Row("behind " + seconds(before) + ", then " + seconds(after))
	return err
}

// showShards prints who holds which shard.
func (s *story) showShards(ctx context.Context, out *report.Findings) error {
	shards, err := s.watch.Shards(ctx)
	slices.SortFunc(shards, func(a, b consumer.Shard) int { return cmp.Compare(a.Table, b.Table) })
	for _, shard := range shards {
		table := shard.Table[strings.LastIndexByte(shard.Table, '-')+1:]
		out.Row(table, "behind "+seconds(shard.Behind), cmp.Or(s.owners[shard.Owner], "nobody"))
	}
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
