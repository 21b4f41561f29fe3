package measure

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
)

// added is a sink that keeps what was added to.
type added []string

func (a *added) Add(_ context.Context, m *Metric, value float64, l Labels) {
	if value > 0 {
		*a = append(*a, strings.TrimRight(m.Name+" "+strings.Join(l[:], ","), ", "))
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	var sink added
	m := New(&sink)
	broken := errors.New("anna@example.com")
	record := stream.Record{Table: "Bookings", At: time.Now().Add(-time.Hour)}
	assert.Zero(t, m.RecordAge())
	require.NoError(t, m.Records(func(context.Context, stream.Record) error {
		assert.InDelta(t, time.Hour, m.RecordAge(), float64(time.Minute))
		return nil
	})(t.Context(), record))
	require.ErrorIs(t, m.Records(func(context.Context, stream.Record) error { return broken })(t.Context(), record), broken)
	assert.Panics(t, func() {
		_ = m.Records(func(context.Context, stream.Record) error { panic("a handler") })(t.Context(), record)
	})
	assert.Empty(t, m.oldest.inHand)
	park := m.DeadLetters(func(_ context.Context, _ stream.Record, cause error) error { return cause })
	require.NoError(t, park(t.Context(), record, nil))
	require.ErrorIs(t, park(t.Context(), record, broken), broken, "it was not parked, and comes again")
	m.OverdueHolds(t.Context(), 3)
	assert.Equal(t, added{
		"dynastay.record.duration Bookings", "dynastay.record.duration Bookings,_OTHER", "DeadLetters", "OverdueHolds",
	}, sink)
}

// An age counts while its record is handled, and for a minute or two after that; what a consumer says, for five minutes.
func TestAgeOfTheOldestRecord(t *testing.T) {
	t.Parallel()
	now := time.Now()
	later := func(d time.Duration) time.Time { return now.Add(d) }
	var o oldest
	done := o.begin(now.Add(-time.Hour), now)
	o.begin(now.Add(-time.Second), now)(true)
	assert.Equal(t, time.Hour, o.age(now))
	assert.Equal(t, 2*time.Hour, o.age(later(time.Hour)), "it is handled still")
	o.recent = [2]told{}
	assert.Equal(t, time.Hour, o.age(now))
	done(true)
	assert.Zero(t, o.age(now))

	o = oldest{}
	o.begin(now.Add(-time.Hour), now)(true)
	assert.Equal(t, time.Hour, o.age(later(59*time.Second)))
	assert.Equal(t, time.Hour, o.age(later(90*time.Second)))
	assert.Zero(t, o.age(later(4*time.Minute)))

	o = oldest{}
	o.begin(now.Add(time.Hour), now)(true)
	assert.Zero(t, o.age(now), "the clock of the stream is ahead")
	o.begin(time.Time{}, now)(true)
	assert.Zero(t, o.age(now), "the time of the record is unknown")
	o.tell(time.Minute, now)
	assert.Equal(t, time.Minute, o.age(later(4*time.Minute)))
	assert.Zero(t, o.age(later(5*time.Minute)))
}

func TestWriteOf(t *testing.T) {
	t.Parallel()
	id := dynastay.WriteID("0123456789abcdef")
	stored, err := id.MarshalDynamoDBAttributeValue()
	require.NoError(t, err)
	image := func(name string, v types.AttributeValue) stream.Record {
		return stream.Record{New: dynastay.RowOf(dynastay.Item{name: v})}
	}
	venue := &dynastay.Schema{WriteID: "writeId"}
	assert.Equal(t, "01234567", WriteOf(image("WriteId", stored), nil))
	assert.Equal(t, "01234567", WriteOf(image("writeId", stored), venue))
	assert.Empty(t, WriteOf(image("WriteId", stored), venue))
	assert.Empty(t, WriteOf(image("WriteId", &types.AttributeValueMemberS{Value: "text"}), nil))
	assert.Empty(t, WriteOf(image("WriteId", &types.AttributeValueMemberB{Value: []byte("short")}), nil))
	assert.Empty(t, WriteOf(stream.Record{}, nil))
}
