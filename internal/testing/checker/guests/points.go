package guests

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// points are the loyalty accounts of a few users. A movement has its mark as the reason, so it needs no key to be
// repeated.
type points struct {
	*checker.Run
	moves, reversals checker.Repeats

	mu   sync.Mutex
	made []*movement
}

type movement struct {
	users.Movement
	redeems  bool
	repeated bool // under its reason, as a key
	verdict  func() checker.Verdict
	reversal *checker.Once // nil if nobody takes the movement back
}

func newPoints(c *checker.Run) *points { return &points{Run: c} }

const members = 6

var short = checker.Refusal(func(err error) bool {
	var refused *users.PointsError
	return errors.As(err, &refused)
})

func (s *points) draw(w *checker.Worker, repeated bool) *movement {
	m := &movement{Movement: users.Movement{
		UserID: fmt.Sprint("member_", w.Rand.IntN(members)), ReasonID: w.Mark(), Points: 1 + w.Rand.IntN(900),
	}, redeems: w.OneIn(2), repeated: repeated}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, m)
	return m
}

func (m *movement) send(ctx context.Context, p *checker.Process) (err error) {
	if m.redeems {
		_, err = usersOf(p).Redeem(ctx, m.Movement)
	} else {
		_, err = usersOf(p).Earn(ctx, m.Movement)
	}
	return err
}

func (s *points) Step(w *checker.Worker) {
	switch w.Rand.IntN(5) {
	case 0, 1:
		s.moves.Repeat(w, func() *checker.Once {
			m := s.draw(w, true)
			o := &checker.Once{Name: "move points once", Items: m.UserID, About: m.ReasonID, Refusal: short, Send: m.send}
			m.verdict = o.Verdict
			return o
		})
	case 2, 3:
		m := s.draw(w, false)
		v := w.Call("move points", m.UserID, m.ReasonID, short, func(ctx context.Context) error { return m.send(ctx, w.Process) })
		s.mu.Lock()
		defer s.mu.Unlock()
		m.verdict = func() checker.Verdict { return v }
	default:
		if m := s.reversible(w); m != nil {
			m.reversal.Call(w)
		}
	}
}

// reversible is one of the last movements that nobody repeats.
func (s *points) reversible(w *checker.Worker) *movement {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 12 {
		at := len(s.made) - 1 - w.Rand.IntN(20)
		if at < 0 || s.made[at].repeated || s.made[at].verdict == nil {
			continue
		}
		m := s.made[at]
		if m.reversal == nil {
			m.reversal = &checker.Once{
				Name: "reverse", Items: m.UserID, About: m.ReasonID, Refusal: short.Or(checker.RefusedBy(dynastay.ErrNotFound)),
				Send: func(ctx context.Context, p *checker.Process) error {
					return checker.ErrorOf(usersOf(p).Reverse(ctx, m.UserID, m.ReasonID))
				},
			}
			s.reversals.Add(m.reversal)
		}
		return m
	}
	return nil
}

func (s *points) Settle(w *checker.Worker) {
	s.moves.Settle(w)
	s.reversals.Settle(w)
}

func (s *points) Check() {
	accounts, entries := map[string]plain{}, map[string]plain{}
	for _, p := range s.Scan(keys.UsersTable) {
		switch reason, isEntry := strings.CutPrefix(p["SK"].(string), "LOYALTYENTRY#"); {
		case isEntry:
			entries[reason] = p
		case p["SK"] == "LOYALTY":
			accounts[p["UserId"].(string)] = p
		}
	}
	balance, lifetime := map[string]float64{}, map[string]float64{}
	for _, m := range s.made {
		e := entries[m.ReasonID]
		v := m.verdict()
		if e == nil && v == checker.Acknowledged || e != nil && v == checker.Refused {
			s.Differ("a movement of points that was answered otherwise", m.UserID, "%s: %s, %v", m.ReasonID, v, e)
		}
		if e == nil {
			continue
		}
		delete(entries, m.ReasonID)
		if want := m.signed(); e["Points"].(float64) != want || e["UserId"] != m.UserID {
			s.Differ("another movement of points", m.UserID, "%s: %v", m.ReasonID, e)
		}
		back := e["ReversedAt"] != nil
		if m.reversal == nil && back || m.reversal != nil && (m.reversal.Verdict() == checker.Acknowledged) != back && m.reversal.Verdict() != checker.Unknown {
			s.Differ("a reversal that was answered otherwise", m.UserID, "%s: %v", m.ReasonID, e)
		}
		if !back {
			balance[m.UserID] += m.signed()
			lifetime[m.UserID] += max(m.signed(), 0)
		}
	}
	for reason, e := range entries {
		s.Differ("a movement of points that nobody made", e["UserId"].(string), "%s", reason)
	}
	for id, a := range accounts {
		if a["Points"].(float64) != balance[id] || a["LifetimePoints"].(float64) != lifetime[id] || balance[id] < 0 {
			s.Differ("points do not add up", id, "%v, and not %v of %v", a, balance[id], lifetime[id])
		}
	}
}

func (m *movement) signed() float64 {
	if m.redeems {
		return -float64(m.Points)
	}
	return float64(m.Points)
}
