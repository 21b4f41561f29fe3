package consumer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/dynastay/dynastay"
)

// discover stores a position for each shard of the tables' streams that has none yet. It returns the tables whose
// streams could not be read; those of the others are not affected.
func (c *Consumer) discover(ctx context.Context, known []*position) (failed map[string]bool, err error) {
	failed = map[string]bool{}
	for _, table := range c.tables {
		var bad error
		if known, bad = c.discoverIn(ctx, table, known); bad != nil {
			failed[table] = true
			err = errors.Join(err, fmt.Errorf("stream of table %s: %w", table, bad))
		}
	}
	return failed, err
}

// discoverIn returns the positions that are known, with those that it has stored.
func (c *Consumer) discoverIn(ctx context.Context, table string, known []*position) ([]*position, error) {
	listed, err := c.shardsOf(ctx, table)
	if err == nil {
		err = samePlace(known, listed)
	}
	if err != nil {
		return known, err
	}
	since := c.startOf(table, known)
	for _, p := range parentsFirst(listed) {
		if slices.ContainsFunc(known, p.sameShard) {
			continue
		}
		p.Since = since
		if err := c.create(ctx, p); err != nil {
			return known, err
		}
		known = append(slices.Clip(known), p)
	}
	return known, nil
}

// create stores the first position of a shard, unless another process has. The position of another stream's shard with
// the same id may have its key, also one that is not known here: of a table that the consumer does not read any more.
func (c *Consumer) create(ctx context.Context, p *position) error {
	sum := sha256.Sum256([]byte(p.Stream))
	for _, p.KeyID = range []string{"", p.ShardID + "@" + hex.EncodeToString(sum[:8])} {
		_, err := c.positions.Create(ctx, p)
		if !errors.Is(err, dynastay.ErrAlreadyExists) {
			return err
		}
		at, err := p.key()
		if err != nil {
			return err
		}
		there, err := c.positions.Get(ctx, at, dynastay.Consistent)
		switch {
		case errors.Is(err, dynastay.ErrCorrupt): // read has reported it
			return nil
		case err != nil || there.sameShard(p):
			return err
		}
	}
	return nil
}

// parentsFirst sorts the shards of a table so that none comes before one that must be read before it. Otherwise, a
// process that sees only some of their positions could begin with the wrong one.
func parentsFirst(shards []*position) []*position {
	parent := map[identity]string{}
	for _, p := range shards {
		parent[p.identity()] = p.Parent
	}
	depth := func(p *position) (n int) {
		for id := p.Parent; n < len(shards); n++ {
			next, listed := parent[identity{p.Stream, id}]
			if !listed {
				break
			}
			id = next
		}
		return n
	}
	slices.SortStableFunc(shards, func(a, b *position) int {
		return cmp.Or(cmp.Compare(label(a.Stream), label(b.Stream)), cmp.Compare(depth(a), depth(b)))
	})
	return shards
}

// startOf returns the time before which the changes of a table are skipped. It is determined when the consumer first
// sees the table. Every later shard has the same time, or a process could start with a later one.
func (c *Consumer) startOf(table string, known []*position) time.Time {
	for _, p := range known {
		if p.Table == table {
			return p.Since
		}
	}
	if c.spec.Start == Now {
		return c.db.Now()
	}
	return time.Time{}
}

// samePlace refuses the streams of another region or account than before. The shards that the positions belong to would
// not exist there, as if they had been removed.
func samePlace(known, listed []*position) error {
	place := func(arn string) string {
		before, _, _ := strings.Cut(arn, ":table/")
		return before
	}
	for _, p := range listed {
		for _, k := range known {
			if k.Table == p.Table && place(k.Stream) != place(p.Stream) {
				return fmt.Errorf("the client reads %s, but the positions of this consumer are in %s", place(p.Stream), place(k.Stream))
			}
		}
	}
	return nil
}

var errNoStream = errors.New("it is not enabled with the view type NEW_AND_OLD_IMAGES")

// shardsOf returns the shards of a table's streams: that of the enabled one, and those of earlier ones, which can be
// read for 24 hours after they were disabled.
func (c *Consumer) shardsOf(ctx context.Context, table string) (all []*position, err error) {
	enabled := false
	in := &dynamodbstreams.ListStreamsInput{TableName: &table}
	for {
		page, err := c.streams.ListStreams(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, s := range page.Streams {
			shards, open, err := c.describe(ctx, table, s.StreamArn)
			if err != nil {
				return nil, err
			}
			enabled = enabled || open
			all = append(all, shards...)
		}
		if in.ExclusiveStartStreamArn = page.LastEvaluatedStreamArn; in.ExclusiveStartStreamArn == nil {
			break
		}
	}
	if !enabled {
		return nil, errNoStream
	}
	return all, nil
}

// describe returns the shards of one stream, and whether it is enabled.
func (c *Consumer) describe(ctx context.Context, table string, arn *string) (shards []*position, enabled bool, err error) {
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: arn}
	for {
		page, err := c.streams.DescribeStream(ctx, in)
		if err != nil {
			return nil, false, err
		}
		stream := page.StreamDescription
		if stream.StreamViewType != types.StreamViewTypeNewAndOldImages {
			return nil, false, nil // its changes cannot be decoded
		}
		for _, s := range stream.Shards {
			shards = append(shards, &position{
				Consumer: c.spec.Name, Table: table, Stream: *arn,
				ShardID: aws.ToString(s.ShardId), Parent: aws.ToString(s.ParentShardId),
			})
		}
		if in.ExclusiveStartShardId = stream.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return shards, stream.StreamStatus == types.StreamStatusEnabled || stream.StreamStatus == types.StreamStatusEnabling, nil
		}
	}
}

func (p *position) sameShard(other *position) bool { return p.identity() == other.identity() }

func (p *position) continues(parent *position) bool {
	return identity{p.Stream, p.Parent} == parent.identity()
}

// ready reports whether the shard can be read: it has not ended, but its parent has, and so have all shards of the
// table's earlier streams.
func ready(p *position, all []*position) bool {
	if p.ended() {
		return false
	}
	return !slices.ContainsFunc(all, func(other *position) bool {
		return !other.ended() && (p.continues(other) || other.replacedBy(p))
	})
}

// replacedBy reports whether other is a shard of a later stream of the same table.
func (p *position) replacedBy(other *position) bool {
	return p.Table == other.Table && label(p.Stream) < label(other.Stream)
}

// label returns the label of a stream, which begins with the time when the stream was enabled.
func label(arn string) string { return arn[strings.LastIndexByte(arn, '/')+1:] }
