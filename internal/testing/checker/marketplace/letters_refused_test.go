package marketplace

import (
	"fmt"
	"testing"

	"github.com/dynastay/dynastay/examples/marketplace/messages"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// pile is a history of letters: pen-0 has written 1 and 3, and pen-1 has written 2, and read up to 2.
type pile struct {
	*letters
	items *items
}

const pens = "pen-0#pen-1"

func newPile(t *testing.T) *pile {
	g := &pile{newLetters(checker.Histories(t)), newItems()}
	g.send("m1", "pen-0", "pen-1", 1, 10)
	g.send("m2", "pen-1", "pen-0", 1, 20)
	g.send("m3", "pen-0", "pen-1", 2, 30)
	g.marks = []*reading{
		{"pen-1", "pen-0", 2, checker.Acknowledged}, {"pen-1", "pen-0", 1, checker.Acknowledged},
		{"pen-0", "pen-1", 1, checker.Unknown}, {"pen-0", "pen-2", 9, checker.Acknowledged},
	}
	for user, other := range map[string]string{"pen-0": "pen-1", "pen-1": "pen-0"} {
		g.items.sides[user] = map[string]plain{other: {
			"received": map[string]float64{"pen-0": 1, "pen-1": 2}[user],
			"readUpTo": map[string]float64{"pen-0": 0, "pen-1": 2}[user],
			"lastText": "m3", "lastSenderId": "pen-0", "lastAt": stampOf(30), "GSI2PK": "INBOX#" + user,
			"GSI2SK": fmt.Sprintf("TIMESTAMP#%d#%s", checker.Instant(30).UnixMilli(), other),
		}}
	}
	return g
}

// stampOf is a time with three digits of milliseconds.
func stampOf(n int) string { return checker.Instant(n).Format("2006-01-02T15:04:05.000Z") }

// send adds a message that was acknowledged, with its ticket. It has its moment as its time.
func (g *pile) send(mark, from, to string, number, at int) {
	c := &letter{from: from, to: to}
	c.call = &call{
		Deed: checker.Answered(mark, checker.Acknowledged, checker.Between(checker.Moment(at), checker.Moment(at+1))), kind: sending,
	}
	g.all[mark], g.items.tickets[mark] = c, c.Left(sending, "")
	g.items.messages[pens] = append(g.items.messages[pens], plain{
		"messageId": mark, "content": mark, "senderId": from, "recipientId": to, "number": float64(number),
		"createdAt": stampOf(at), "SK": fmt.Sprintf("MESSAGE#2026-06-30T00:00:00Z.%03d", at),
	})
}

// told lets the answer to the first message be another one.
func (g *pile) told(change func(m *messages.Message)) {
	m := &messages.Message{ID: "m1", Number: 1, CreatedAt: checker.Instant(10)}
	change(m)
	g.all["m1"].told = m
}

func (g *pile) check() { g.checkLetters(g.items) }

func TestRightLetters(t *testing.T) {
	checker.Accepts(t, newPile, (*pile).check, map[string]func(g *pile){
		"nothing else":    func(*pile) {},
		"an answer":       func(g *pile) { g.told(func(*messages.Message) {}) },
		"an unknown mark": func(g *pile) { g.items.sides["pen-0"]["pen-1"]["readUpTo"] = 1.0 },
		"sent at one time": func(g *pile) {
			g.all["m3"].Within = checker.Between(5, 21)
			g.all["m1"].Within = checker.Between(1, 22)
		},
		"an unknown message": func(g *pile) {
			g.all["m2"].Answers, g.all["m2"].Within = checker.Tally{checker.Unknown: 1}, checker.Since(20)
		},
	})
}

// wrongLetters are changes of a right history, by the difference that must be found.
var wrongLetters = map[string]map[string]func(g *pile){
	"a message that nobody sent": {
		"content": func(g *pile) { g.items.messages[pens][0]["content"] = "m99" },
		"others":  func(g *pile) { g.items.messages["pen-0#pen-2"] = g.items.messages[pens][:1] },
	},
	"a message that was sent twice": {
		"m3": func(g *pile) { g.items.messages[pens] = append(g.items.messages[pens], g.items.messages[pens][2]) },
	},
	"a message that is not as it was sent": {
		"sender":    func(g *pile) { g.items.messages[pens][0]["senderId"] = "pen-1" },
		"recipient": func(g *pile) { g.items.messages[pens][0]["recipientId"] = "pen-0" },
		"key":       func(g *pile) { g.items.messages[pens][0]["SK"] = "MESSAGE#2026-06-30T00:00:00Z" },
		"id":        func(g *pile) { g.told(func(m *messages.Message) { m.ID = "m2" }) },
		"number":    func(g *pile) { g.told(func(m *messages.Message) { m.Number = 2 }) },
		"time":      func(g *pile) { g.told(func(m *messages.Message) { m.CreatedAt = checker.Instant(11) }) },
	},
	"numbers of messages with a gap": {
		"a gap": func(g *pile) { g.items.messages[pens][2]["number"] = 3.0 },
		"twice": func(g *pile) { g.items.messages[pens][2]["number"] = 1.0 },
		"none":  func(g *pile) { delete(g.items.messages[pens][2], "number") },
	},
	"messages whose times do not increase": {
		"one time": func(g *pile) { g.items.messages[pens][2]["createdAt"] = stampOf(20) },
	},
	"messages in another order than they were sent": {
		"the first last": func(g *pile) { g.all["m1"].Within = checker.Between(40, 41) },
		"the last first": func(g *pile) { g.all["m3"].Within = checker.Between(2, 3) },
	},
	"a side that is not that of its conversation": {
		"received": func(g *pile) { g.items.sides["pen-0"]["pen-1"]["received"] = 2.0 },
		"text":     func(g *pile) { g.items.sides["pen-0"]["pen-1"]["lastText"] = "m1" },
		"sender":   func(g *pile) { g.items.sides["pen-0"]["pen-1"]["lastSenderId"] = "pen-1" },
		"time":     func(g *pile) { g.items.sides["pen-0"]["pen-1"]["lastAt"] = stampOf(20) },
		"inbox":    func(g *pile) { g.items.sides["pen-0"]["pen-1"]["GSI2PK"] = "INBOX#pen-1" },
		"sort":     func(g *pile) { g.items.sides["pen-0"]["pen-1"]["GSI2SK"] = "TIMESTAMP#0#pen-1" },
		"none":     func(g *pile) { delete(g.items.sides, "pen-0") },
	},
	"a side of no conversation": {
		"pen-2": func(g *pile) { g.items.sides["pen-2"] = map[string]plain{"pen-0": {}} },
	},
	"messages that are read otherwise than they were marked": {
		"less":        func(g *pile) { g.items.sides["pen-1"]["pen-0"]["readUpTo"] = 1.0 },
		"not written": func(g *pile) { g.items.sides["pen-0"]["pen-1"]["readUpTo"] = 2.0 },
		"refused":     func(g *pile) { g.marks[2].verdict = checker.Refused; g.items.sides["pen-0"]["pen-1"]["readUpTo"] = 1.0 },
	},
	"a call is lost": {"m3": func(g *pile) {
		g.items.messages[pens] = g.items.messages[pens][:2]
		delete(g.items.tickets, "m3")
	}},
	"half of a call":                       {"m3": func(g *pile) { delete(g.items.tickets, "m3") }},
	"a call that was refused, and is done": {"m3": func(g *pile) { g.all["m3"].Deed.Answers = checker.Tally{checker.Refused: 1} }},
	"a receipt that nobody wrote":          {"m99": func(g *pile) { g.items.tickets["m99"] = &checker.Receipt{ID: "m99", Kind: sending} }},
}

func TestWrongLetters(t *testing.T) { checker.Rejects(t, newPile, (*pile).check, wrongLetters) }
