package consumer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// position is the item of one shard.
// See docs/decisions/0017-streams.md for why its lease has no time of expiry.
type position struct {
	Consumer string
	Table    string // the full name
	Stream   string // the ARN
	ShardID  string
	// KeyID stands in the key instead of ShardID, if the position of another stream's shard with that id was there first.
	KeyID  string
	Parent string // the shard that this one continues; "" for none

	Sequence string    // the last change that was handled; "" for none
	ReadTo   time.Time // all earlier changes were handled; zero if the shard was not read yet
	Since    time.Time // earlier changes are skipped; zero for none
	EndedAt  time.Time // when the shard was read to its end; zero before

	Owner  string // the process that holds the shard; "" for none
	Wanted string // the process that asks for it; "" for none

	Failing      string // the ID of the change that fails; "" for none
	FailingSince time.Time
	Failure      string

	CreatedAt time.Time
	UpdatedAt time.Time
	WriteID   dynastay.WriteID

	row dynastay.Row // as it was read
}

// keep is how long the position of a shard that was read to its end is kept. The stream shows the shard for up to 24
// hours more, and without the position it would be read again.
const keep = 48 * time.Hour

func newEntity(s *dynastay.Schema) *entity.Entity[position] {
	return entity.New(entity.Spec[position]{
		Name: "Position", Operations: "consumer", Schema: s, Created: "CreatedAt", Updated: "UpdatedAt",
		Key: (*position).key,
		Codec: entity.Declare(func(f *entity.Fields, p *position) {
			f.Const(keys.AttrEntityType, "StreamPosition")
			f.String("Consumer", &p.Consumer)
			f.String("TableName", &p.Table)
			f.String("StreamArn", &p.Stream)
			f.String("ShardId", &p.ShardID)
			f.String("KeyId", &p.KeyID)
			f.String("ParentShardId", &p.Parent)
			f.String("SequenceNumber", &p.Sequence)
			f.Time("ReadTo", &p.ReadTo)
			f.Time("Since", &p.Since)
			f.Time("EndedAt", &p.EndedAt)
			f.String("LeaseOwner", &p.Owner)
			f.String("WantedBy", &p.Wanted)
			f.String("Failing", &p.Failing)
			f.Time("FailingSince", &p.FailingSince)
			f.String("Failure", &p.Failure)
			f.Time("CreatedAt", &p.CreatedAt)
			f.Time("UpdatedAt", &p.UpdatedAt)
			f.WriteID(s.WriteIDName(), &p.WriteID)
		}),
		Derived: []entity.Derived[position]{entity.TTL(s.TTL, func(p *position) time.Time {
			if p.EndedAt.IsZero() {
				return time.Time{}
			}
			return p.EndedAt.Add(keep)
		})},
	})
}

// identity is a shard. Its id alone does not say which: in DynamoDB, ids are unique, but an engine may use them again in
// the stream of a table that is created anew, or of another table.
type identity struct{ stream, id string }

func (p *position) key() (dynastay.Key, error) {
	return keys.Of(keys.StreamShard{Consumer: p.Consumer, ShardID: cmp.Or(p.KeyID, p.ShardID)})
}

func (p *position) identity() identity { return identity{p.Stream, p.ShardID} }

func (p *position) ended() bool { return !p.EndedAt.IsZero() }

// read returns the consumer's positions in the streams of its tables. The read is consistent because a process learns
// from it whether it still holds a shard. A position that somebody has made unreadable is reported, and does not stop
// the other shards.
func (c *Consumer) read(ctx context.Context) ([]*position, error) {
	var all []*position
	for p, err := range c.list.All(ctx) {
		if errors.Is(err, dynastay.ErrCorrupt) {
			c.spec.OnError(ctx, &Error{Consumer: c.spec.Name, Err: err})
			continue
		}
		if err != nil {
			return nil, err
		}
		if slices.Contains(c.tables, p.Table) {
			all = append(all, p)
		}
	}
	return all, nil
}

// write changes a position, on condition that nobody has changed it since it was read. The write id that it leaves
// renews the lease.
func (c *Consumer) write(ctx context.Context, p *position, change func(*position)) error {
	key := c.schema.Key.From(p.row)
	_, err := dynastay.Do(ctx, c.db, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "consumer.Write",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			to, err := c.positions.ChangeOf(key, p.row, func(p *position) error {
				change(p)
				return nil
			}, dynastay.IfWritten(p.WriteID))
			if err != nil {
				return struct{}{}, err
			}
			to.Renew()
			return struct{}{}, to.AddTo(tx)
		},
	}))
	return err
}
