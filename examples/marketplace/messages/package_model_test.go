package messages_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
	"github.com/dynastay/dynastay/keys/key"
)

var modelOperations = flag.Int("model.operations", 300, "how many operations TestModel compares with its model")

// Three users write to each other and read, through two servers with clocks of their own, which go forward and back.
// Some of the conversations have messages of other software. Requests and answers are lost, refused and repeated. After
// every operation, the conversation is what a model in memory expects.
func TestModel(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for met["operations"] < *modelOperations {
		rapid.Check(t, func(rt *rapid.T) {
			if met["operations"] >= *modelOperations {
				return
			}
			w := newWorld(t, rt, met)
			for range rapid.IntRange(10, 40).Draw(rt, "steps") {
				w.step()
			}
		})
	}
	t.Logf("%v", met)
	if *modelOperations >= 5_000 {
		for _, what := range []string{"sent", "replayed", "read", "nothing to read", "unknown", "rejected", "adopted", "not found"} {
			assert.NotZero(t, met[what], what)
		}
	}
}

// world is a table with three users.
type world struct {
	*rapid.T
	post    *post
	ahead   []time.Duration // the clocks of the servers
	servers []*messages.Repository
	met     map[string]int

	talks map[string]*talk // by the ids of both users, the smaller one first
	sent  []sending        // messages that were sent with a key
	drawn int
}

// talk is a conversation as it has to be.
type talk struct {
	messages []said
	read     map[string]int // by user
	counted  bool           // the items of the sides exist
	ahead    time.Time      // the time of the last message
}

// said is a message: the number is that of its recipient.
type said struct {
	from, to, content string
	number            int
	foreign, read     bool
}

type sending struct {
	key  string
	m    messages.Message
	made *messages.Message // nil if it is not known
}

var people = []string{"user_a", "user_b", "user_c"}

func newWorld(t *testing.T, rt *rapid.T, met map[string]int) *world {
	w := &world{T: rt, post: newPost(t), met: met, ahead: make([]time.Duration, 2), talks: map[string]*talk{}}
	for i := range w.ahead {
		w.servers = append(w.servers, messages.New(w.post.Open(&dynastay.Options{
			Clock: func() time.Time { return w.post.Clock.Now().Add(w.ahead[i]) }, Idempotency: keys.Table,
			Retry: dynastay.Retry{Attempts: 8, Base: time.Millisecond, Cap: 2 * time.Millisecond},
		})))
	}
	for i, a := range people {
		for _, b := range people[i+1:] {
			k := &talk{read: map[string]int{}}
			w.talks[a+b] = k
			at := base.Add(time.Duration(rapid.IntRange(-2, 2).Draw(rt, "hours")) * time.Hour)
			for range rapid.SampledFrom([]int{0, 0, 3}).Draw(rt, "foreign") {
				from, to := a, b
				if rapid.Bool().Draw(rt, "from the second") {
					from, to = b, a
				}
				m := said{from: from, to: to, content: w.text(), foreign: true, read: rapid.Bool().Draw(rt, "read")}
				at = at.Add(time.Second)
				w.post.load(foreign(from, to, at.Format(time.RFC3339), m.content, map[bool]any{true: yes, false: no}[m.read].(attribute)))
				k.add(m)
				k.ahead = at
			}
		}
	}
	return w
}

func (w *world) text() string {
	w.drawn++
	return fmt.Sprint("text ", w.drawn)
}

// add adds a message.
func (k *talk) add(m said) {
	m.number = k.received(m.to) + 1
	k.messages = append(k.messages, m)
	if m.foreign && m.read {
		k.read[m.to] = m.number
	}
}

func (k *talk) received(user string) (n int) {
	for _, m := range k.messages {
		if m.to == user {
			n++
		}
	}
	return n
}

func (w *world) step() {
	w.met["operations"]++
	w.post.Clock.Set(w.post.Clock.Now().Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 1000, -3_000, 5_000_000}).Draw(w.T, "ms")) * time.Millisecond))
	if rapid.IntRange(0, 9).Draw(w.T, "clock") == 0 {
		w.ahead[w.server()] = time.Duration(rapid.IntRange(-300, 300).Draw(w.T, "minutes")) * time.Minute
	}
	if rapid.IntRange(0, 2).Draw(w.T, "faulty") == 0 {
		fault := rapid.SampledFrom([]dyntest.Fault{
			dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Throttle(), dyntest.InternalError(), dyntest.InternalErrorAfterCommit(),
			dyntest.Conflict(), dyntest.InProgress(), dyntest.Unprocessed(1), dyntest.ShortPages(1), dyntest.Fail("AccessDeniedException"),
		}).Draw(w.T, "fault")
		injection := w.post.Faults.Inject(fault, dyntest.When{
			Nth: rapid.IntRange(1, 4).Draw(w.T, "nth"), Times: rapid.SampledFrom([]int{1, 1, 2, 20}).Draw(w.T, "times"), Optional: true,
			EveryAttempt: rapid.Bool().Draw(w.T, "every attempt"),
		})
		defer injection.Stop()
	}
	pair := rapid.Permutation(people).Draw(w.T, "users")
	user, other := pair[0], pair[1]
	k := w.talks[min(user, other)+max(user, other)]
	switch n := rapid.IntRange(0, 9).Draw(w.T, "operation"); {
	case n < 4:
		w.send(k, user, other)
	case n < 5 && len(w.sent) > 0:
		w.replay()
	default:
		w.mark(k, user, other)
	}
	w.compare(user, other)
}

func (w *world) server() int { return rapid.IntRange(0, 1).Draw(w.T, "server") }

// tolerable reports whether an operation failed because of a fault; with unknown, it may have been done.
func (w *world) tolerable(err error) (unknown bool) {
	switch {
	case errors.Is(err, dynastay.ErrOutcomeUnknown) || errors.Is(err, dynastay.ErrCommitted):
		w.met["unknown"]++
		return true
	case errors.Is(err, dynastay.ErrRejected) || errors.Is(err, dynastay.ErrThrottled) || errors.Is(err, dynastay.ErrUnavailable),
		errors.Is(err, dynastay.ErrContention):
		w.met["rejected"]++
	default:
		require.True(w, isDenied(err), "%v", err)
		w.met["rejected"]++
	}
	return false
}

func (w *world) send(k *talk, from, to string) {
	s := sending{m: messages.Message{SenderID: from, RecipientID: to, Content: w.text()}}
	var opts []dynastay.WriteOption
	if rapid.Bool().Draw(w.T, "keyed") {
		s.key = s.m.Content
		opts = append(opts, dynastay.IdempotencyKey(s.key))
	}
	server := w.server()
	now := w.post.Clock.Now().Add(w.ahead[server])
	made, err := w.servers[server].Send(w.post.context(), s.m, opts...)
	s.made = made
	if s.key != "" {
		w.sent = append(w.sent, s)
	}
	if err != nil && (!w.tolerable(err) || !w.isThere(s.m)) {
		return
	}
	w.done(k, s.m, made, now)
}

// done adds a message that was sent to the model.
func (w *world) done(k *talk, m messages.Message, made *messages.Message, now time.Time) {
	w.met["sent"]++
	if !k.counted && len(k.messages) > 0 {
		w.met["adopted"]++
	}
	k.counted = true
	k.add(said{from: m.SenderID, to: m.RecipientID, content: m.Content})
	k.ahead = k.ahead.Add(time.Millisecond)
	if now.After(k.ahead) {
		k.ahead = now
	}
	if made != nil {
		require.Equal(w, k.ahead, made.CreatedAt)
		require.Equal(w, k.messages[len(k.messages)-1].number, made.Number)
	}
}

// replay sends a message again, of which it may not be known whether it was sent.
func (w *world) replay() {
	i := rapid.IntRange(0, len(w.sent)-1).Draw(w.T, "which")
	s := &w.sent[i]
	k := w.talks[min(s.m.SenderID, s.m.RecipientID)+max(s.m.SenderID, s.m.RecipientID)]
	there, server := w.isThere(s.m), w.server()
	now := w.post.Clock.Now().Add(w.ahead[server])
	made, err := w.servers[server].Send(w.post.context(), s.m, dynastay.IdempotencyKey(s.key))
	if err != nil && !w.tolerable(err) {
		return
	}
	if !there && w.isThere(s.m) {
		w.done(k, s.m, made, now)
	}
	if err == nil {
		w.met["replayed"]++
		if s.made != nil {
			require.Equal(w, s.made, made)
		}
		s.made = made
	}
	w.compare(s.m.SenderID, s.m.RecipientID)
}

func (w *world) isThere(m messages.Message) bool {
	return slices.ContainsFunc(w.post.all(m.SenderID, m.RecipientID), func(other *messages.Message) bool { return other.Content == m.Content })
}

func (w *world) mark(k *talk, user, other string) {
	upTo := rapid.IntRange(0, k.received(user)+2).Draw(w.T, "up to")
	err := w.servers[w.server()].MarkRead(w.post.context(), user, other, upTo)
	want := max(k.read[user], min(upTo, k.received(user)))
	switch {
	case upTo == 0:
		require.NoError(w, err)
		return
	case len(k.messages) == 0 && err != nil:
		if errors.Is(err, dynastay.ErrNotFound) {
			w.met["not found"]++
		} else {
			w.tolerable(err)
		}
		return
	case err != nil:
		if c := w.post.side(user, other); !w.tolerable(err) || c == nil || !k.counted && c.ReadUpTo != want || c.ReadUpTo == k.read[user] && k.counted {
			return
		}
	}
	require.NotEmpty(w, k.messages)
	if !k.counted {
		w.met["adopted"]++
	}
	if w.met["read"]++; want == k.read[user] {
		w.met["nothing to read"]++
	}
	k.read[user], k.counted = want, true
}

// compare compares a conversation with the model.
func (w *world) compare(user, other string) {
	k := w.talks[min(user, other)+max(user, other)]
	all := w.post.all(user, other)
	require.Len(w, all, len(k.messages))
	for _, pair := range [][2]string{{user, other}, {other, user}} {
		c := w.post.side(pair[0], pair[1])
		if !k.counted {
			require.Nil(w, c)
			continue
		}
		require.NotNil(w, c)
		require.Equal(w, k.received(pair[0]), c.Received)
		require.Equal(w, k.read[pair[0]], c.ReadUpTo)
		require.Equal(w, k.ahead, c.LastAt)
		require.Equal(w, k.messages[len(k.messages)-1].content, c.LastText)
		require.Equal(w, k.messages[len(k.messages)-1].from, c.LastSenderID)
	}
	for i, m := range k.messages {
		require.Equal(w, []string{m.from, m.to, m.content}, []string{all[i].SenderID, all[i].RecipientID, all[i].Content})
		if !m.foreign {
			require.Equal(w, m.number, all[i].Number)
		}
		if i > 0 {
			before, err := key.Of(keys.MessageOf(user, other, all[i-1].CreatedAt))
			require.NoError(w, err)
			after, err := key.Of(keys.MessageOf(user, other, all[i].CreatedAt))
			require.NoError(w, err)
			require.Less(w, before.SK, after.SK)
		}
	}
}
