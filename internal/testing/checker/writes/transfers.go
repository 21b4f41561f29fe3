package writes

import (
	"context"
	"fmt"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

var accountEntity = entity.New(entity.Spec[account]{
	Name: "Account", Version: "version",
	Schema: &dynastay.Schema{Name: "Accounts", Key: dynastay.KeyNames{Partition: "id"}},
	Key:    func(a *account) (dynastay.Key, error) { return dynastay.Key{PK: a.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, a *account) {
		f.String("id", &a.ID)
		f.Int("balance", &a.Balance)
		f.IfSet().Int("version", &a.Version)
	}),
})

type account struct {
	ID               string
	Balance, Version int
}

var entryEntity = entity.New(entity.Spec[entry]{
	Name:   "Entry",
	Schema: &dynastay.Schema{Name: "Journal", Key: dynastay.KeyNames{Partition: "id"}},
	Key:    func(e *entry) (dynastay.Key, error) { return dynastay.Key{PK: e.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, e *entry) {
		f.String("id", &e.ID)
		f.String("from", &e.From)
		f.String("to", &e.To)
		f.Int("amount", &e.Amount)
	}),
})

type entry struct {
	ID, From, To string
	Amount       int
}

func (e entry) items() string { return e.ID + " " + e.From + " " + e.To }

// transfers move money between two accounts and write it into a journal, all or none.
type transfers struct {
	*checker.Run
	keyed checker.Repeats

	mu   sync.Mutex
	made map[string]func() checker.Verdict
}

const (
	accounts = 6
	opening  = 1000
)

func newTransfers(c *checker.Run) *transfers {
	table := entity.NewTable(c.Base.Direct, accountEntity)
	for n := range accounts {
		if _, err := table.Create(context.Background(), &account{ID: fmt.Sprint("account-", n), Balance: opening}); err != nil {
			c.T.Fatal(err)
		}
	}
	return &transfers{Run: c, made: map[string]func() checker.Verdict{}}
}

func (t *transfers) draw(w *checker.Worker) entry {
	from := w.Rand.IntN(accounts)
	to := (from + 1 + w.Rand.IntN(accounts-1)) % accounts
	return entry{w.Mark(), fmt.Sprint("account-", from), fmt.Sprint("account-", to), 1 + w.Rand.IntN(9)}
}

// parts are the operations of a transfer, in an order that differs from one to the next.
func (t *transfers) parts(p *checker.Process, e entry) []dynastay.Part {
	move := func(id string, by int) dynastay.Part {
		return tablesOf(p).accounts.UpdateOp(dynastay.Key{PK: id}, func(a *account) error { a.Balance += by; return nil }, dynastay.AgreedOn(fmt.Sprint(by)))
	}
	parts := []dynastay.Part{move(e.From, -e.Amount), move(e.To, e.Amount), tablesOf(p).journal.CreateOp(&e)}
	if e.Amount%2 == 0 {
		parts[0], parts[2] = parts[2], parts[0]
	}
	return parts
}

func (t *transfers) Step(w *checker.Worker) {
	if w.OneIn(2) {
		t.keyed.Repeat(w, func() *checker.Once {
			e := t.draw(w)
			o := &checker.Once{Key: dynastay.IdempotencyKey(e.ID).Of("bank"), Name: "transfer once", Items: e.items(), About: fmt.Sprint(e), Refusal: checker.Never}
			o.Send = func(ctx context.Context, p *checker.Process) error {
				return p.Write(ctx, append(t.parts(p, e), o.Key)...)
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			t.made[e.ID] = o.Verdict
			return o
		})
		return
	}
	e := t.draw(w)
	v := w.Call("transfer", e.items(), fmt.Sprint(e), checker.Never, func(ctx context.Context) error { return w.Write(ctx, t.parts(w.Process, e)...) })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made[e.ID] = func() checker.Verdict { return v }
}

func (t *transfers) Settle(w *checker.Worker) { t.keyed.Settle(w) }

func (t *transfers) Check() {
	journal := checker.Stored(t.Run, entryEntity)
	should, sum := map[string]int{}, 0
	for id, e := range journal {
		should[e.From] -= e.Amount
		should[e.To] += e.Amount
		switch verdict := t.made[id]; {
		case verdict == nil:
			t.Differ("a journal entry that nobody made", id, "%v", *e)
		case verdict() == checker.Refused:
			t.Differ("a transfer that was not to be made", id, "%v", *e)
		}
	}
	for id, verdict := range t.made {
		if verdict() == checker.Acknowledged && journal[id] == nil {
			t.Differ("a transfer is lost", id, "")
		}
	}
	for id, a := range checker.Stored(t.Run, accountEntity) {
		sum += a.Balance
		if a.Balance != opening+should[id] {
			t.Differ("an account is not what its journal says", id, "%d where the journal makes it %d", a.Balance, opening+should[id])
		}
	}
	if sum != accounts*opening {
		t.Differ("money is made or lost", "accounts", "%d where there were %d", sum, accounts*opening)
	}
}
