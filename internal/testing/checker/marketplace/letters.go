package marketplace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// letters are the messages of three users to each other, in all directions, and what they mark as read. As the storm
// goes on, other users begin other conversations, so that many first messages meet. The content of a message says which
// call has sent it.
type letters struct {
	bazaar
	calls checker.Deeds[*letter]

	mu    sync.Mutex
	all   map[string]*letter // by mark
	known map[string]int     // the last number that the recipient was told of, by "recipient sender"
	marks []*reading
}

// letter is a call that sends a message.
type letter struct {
	*call
	from, to string
	told     *messages.Message // as the call returned it, nil if it was not acknowledged
}

// reading is a call that marks messages as read.
type reading struct {
	user, other string
	upTo        int
	verdict     checker.Verdict
}

const (
	sending    = "send message"
	penPrefix  = "pen-"
	perPens    = 3   // users who write to each other
	penLasting = 500 // calls of the whole checker until others begin
)

func newLetters(c *checker.Run) *letters {
	return &letters{bazaar: bazaar{c}, all: map[string]*letter{}, known: map[string]int{}}
}

// pens draws two users who write to each other.
func (s *letters) pens(w *checker.Worker) (from, to string) {
	group, who := int(s.Called())/penLasting, w.Rand.Perm(perPens)
	pen := func(n int) string { return fmt.Sprint(penPrefix, group, "-", n) }
	return pen(who[0]), pen(who[1])
}

func (s *letters) Step(w *checker.Worker) {
	if w.OneIn(4) {
		s.read(w)
		return
	}
	s.calls.Do(w, func(keyed bool) *letter { return s.send(w, keyed) })
}

func (s *letters) send(w *checker.Worker, keyed bool) *letter {
	mark, c := w.Mark(), &letter{}
	c.from, c.to = s.pens(w)
	m := messages.Message{SenderID: c.from, RecipientID: c.to, Content: mark}
	c.call = onMarket(w, mark, sending, conversation(c.from, c.to), "from "+c.from, keyed, checker.Never,
		func(ctx context.Context, p *market, parts []dynastay.Part) error {
			made, err := checker.Write(ctx, p, parts, p.messages.SendOp(m))
			if err == nil {
				s.sent(c, made)
			}
			return err
		})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[mark] = c
	return c
}

// sent notes a message as a call returned it. It never changes, so all answers are the same.
func (s *letters) sent(c *letter, m *messages.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mine := m.Content == c.Mark && m.SenderID == c.from && m.RecipientID == c.to
	if other := c.told; !mine || other != nil && *other != *m {
		s.Differ("an answer about another message", c.Items, "%s: %+v and %+v", c.About, m, other)
	}
	c.told = m
	s.known[c.to+" "+c.from] = max(s.known[c.to+" "+c.from], m.Number)
}

// read marks what a user has received as read, up to the last message that somebody was told of, or one before it.
func (s *letters) read(w *checker.Worker) {
	r := &reading{}
	r.user, r.other = s.pens(w)
	s.mu.Lock()
	r.upTo = s.known[r.user+" "+r.other]
	s.mu.Unlock()
	if r.upTo == 0 {
		return
	}
	r.upTo = max(1, r.upTo-w.Rand.IntN(3))
	about := fmt.Sprint(r.user, " ", r.upTo)
	r.verdict = w.Call("mark read", conversation(r.user, r.other), about, checker.Never, func(ctx context.Context) error {
		return marketOf(w).messages.MarkRead(ctx, r.user, r.other, r.upTo)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks = append(s.marks, r)
}

func conversation(a, b string) string { return min(a, b) + "#" + max(a, b) }

func (s *letters) Settle(w *checker.Worker) { s.calls.Settle(w) }

func (s *letters) Check() { s.checkLetters(s.readMarket()) }

func (s *letters) checkLetters(all *items) {
	stored := map[string]bool{}
	for id, messages := range all.messages {
		for _, m := range messages {
			c := s.all[checker.TextOf(m, "content")]
			switch {
			case c == nil || conversation(c.from, c.to) != id:
				s.Differ("a message that nobody sent", id, "%v", m)
				continue
			case stored[c.Mark]:
				s.Differ("a message that was sent twice", id, "%v", m)
			}
			stored[c.Mark] = true
			s.checkLetter(c, m)
		}
		s.checkConversation(id, messages, all.sides)
	}
	for _, c := range s.all {
		s.Decide(c.Deed, all.tickets, stored[c.Mark])
	}
	s.CheckReceipts(all.tickets, sending)
	for user, sides := range all.sides {
		for other, side := range sides {
			s.Differ("a side of no conversation", conversation(user, other), "%v", side)
		}
	}
}

// checkLetter compares a message with its call.
func (s *letters) checkLetter(c *letter, m plain) {
	at, ok := checker.TimeOf(m["createdAt"]), checker.TextOf(m, "senderId") == c.from && checker.TextOf(m, "recipientId") == c.to
	if t := c.told; t != nil {
		ok = ok && checker.TextOf(m, "messageId") == t.ID && checker.NumberOf(m, "number") == t.Number && at.Equal(t.CreatedAt)
	}
	sort := at.Format("MESSAGE#2006-01-02T15:04:05Z")
	if ms := at.UnixMilli() % 1000; ms > 0 {
		sort += fmt.Sprintf(".%03d", ms)
	}
	if !ok || checker.TextOf(m, "SK") != sort {
		s.Differ("a message that is not as it was sent", c.Items, "%+v: %v", c.told, m)
	}
}

// checkConversation goes through the messages of two users in the order of their keys, which is that of their times.
func (s *letters) checkConversation(id string, messages []plain, sides map[string]map[string]plain) {
	received, last := map[string]int{}, plain{}
	var began checker.Moment // when the latest of the calls before began
	for _, m := range messages {
		to := checker.TextOf(m, "recipientId")
		if received[to]++; checker.NumberOf(m, "number") != received[to] {
			s.Differ("numbers of messages with a gap", id, "%d instead of %d: %v", checker.NumberOf(m, "number"), received[to], m)
		}
		if !checker.TimeOf(m["createdAt"]).After(checker.TimeOf(last["createdAt"])) {
			s.Differ("messages whose times do not increase", id, "%v after %v", m, last)
		}
		if c := s.all[checker.TextOf(m, "content")]; c != nil {
			if c.Within.To < began {
				s.Differ("messages in another order than they were sent", id, "%v", m)
			}
			began = max(began, c.Within.From)
		}
		last = m
	}
	a, b, _ := strings.Cut(id, "#")
	for user, other := range map[string]string{a: b, b: a} {
		side := sides[user][other]
		delete(sides[user], other)
		s.checkSide(id, user, other, side, received[user], last)
	}
}

// checkSide compares what one user has of a conversation with its messages.
func (s *letters) checkSide(id, user, other string, side plain, received int, last plain) {
	inbox := fmt.Sprintf("TIMESTAMP#%013d#%s", checker.TimeOf(last["createdAt"]).UnixMilli(), other)
	ok := side["lastText"] == last["content"] && side["lastSenderId"] == last["senderId"] &&
		side["lastAt"] == last["createdAt"]
	if !ok || checker.NumberOf(side, "received") != received || side["GSI2PK"] != "INBOX#"+user || side["GSI2SK"] != inbox {
		s.Differ("a side that is not that of its conversation", id, "%s has received %d: %v, %v", user, received, last, side)
	}
	least, possible := 0, []int{0}
	for _, r := range s.marks {
		if r.user != user || r.other != other || r.verdict == checker.Refused {
			continue
		}
		if possible = append(possible, r.upTo); r.verdict == checker.Acknowledged {
			least = max(least, r.upTo)
		}
	}
	if n := checker.NumberOf(side, "readUpTo"); n < least || n > received || !slices.Contains(possible, n) {
		s.Differ("messages that are read otherwise than they were marked", id, "%s: %d of %d, %v", user, n, received,
			possible)
	}
}
