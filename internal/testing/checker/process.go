package checker

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	calendar "github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	markets "github.com/dynastay/dynastay/examples/marketplace/keys"
	trips "github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// patient goes on until it knows, or until nobody else is left.
var patient = dynastay.Options{Retry: dynastay.Retry{Attempts: 40, Base: time.Millisecond, Cap: 20 * time.Millisecond}}

// temperaments are the options of the processes, in turn.
var temperaments = []dynastay.Options{
	{Retry: dynastay.Retry{Attempts: 6, Base: time.Millisecond, Cap: 5 * time.Millisecond}, Settle: 50 * time.Millisecond},
	{Retry: dynastay.Retry{Attempts: 16, Base: time.Millisecond, Cap: 10 * time.Millisecond}, NoGates: true},
	{Retry: dynastay.Retry{Attempts: 3, Base: time.Millisecond, Cap: 5 * time.Millisecond}, NoGates: true, Settle: 50 * time.Millisecond},
	patient,
}

// process is what one process has of its own: a DB, and all that works on it.
type process struct {
	name       string
	takesTurns bool
	*dynastay.DB
	locks, latches *entity.Table[lock]
	counters       *entity.Table[counter]
	outbox         *entity.Table[message]
	accounts       *entity.Table[account]
	journal        *entity.Table[entry]
	receipts       *entity.Table[receipt]
	shops          *entity.Table[shop]
	baskets        *entity.Table[basket]
	orders         *entity.Table[order]
	parcels        *entity.Table[parcel]
	bookings       *bookings.Repository
	properties     *properties.Repository
	users          *users.Repository
	reviews        *reviews.Repository
	nights         *availability.Repository
	calendars      *calendar.Repository
	slips          *entity.Table[slip]
	venue          *venue.Repository
	invitations    *entity.Table[invitation]
	market         *market
	tracker        *tracker.Repository
	front          *frontOffice
}

// The processes write to different counts of shards, as while these are raised, and keep addresses out of keys.
const shards = 3

// The clocks of the processes differ by more than a hold is granted after its end, so that one of them may confirm what
// another one may expire.
const (
	skew  = 400 * time.Millisecond // from one process to the next
	grace = 500 * time.Millisecond
)

var emailSecret = []byte("the secret that all processes share")

func (c *checker) process(name string, options dynastay.Options) *process {
	options.TablePrefix = strings.TrimSuffix(c.db.TableName(keys.BookingsTable), keys.BookingsTable.Name)
	ahead := time.Duration(len(c.processes)%len(temperaments)) * skew
	options.Clock = func() time.Time { return c.db.Clock.Now().Add(ahead) }
	options.Observer = dynastay.RequestObserver(c.observe)
	way := fake.Client{Next: c.db.Client, Do: c.late.way}
	db := dynastay.Open(way, &options)
	onMarket, travelling := options, options
	onMarket.Idempotency, travelling.Idempotency = markets.Table, trips.Table
	travelling.Clock = func() time.Time { return options.Clock().AddDate(20, 0, 0) }
	front := options
	front.TablePrefix = strings.TrimSuffix(c.front.TableName(keys.BookingsTable), keys.BookingsTable.Name)
	own := key.Shards{Write: 1 + len(c.processes)%shards, Read: shards}
	hosts := properties.New(db, nil)
	return &process{
		name: name, takesTurns: !options.NoGates, DB: db,
		locks: entity.NewTable(db, lockIn(lockTable)), latches: entity.NewTable(db, lockIn(latchTable)),
		counters: entity.NewTable(db, counterEntity), outbox: entity.NewTable(db, messageEntity),
		accounts: entity.NewTable(db, accountEntity), journal: entity.NewTable(db, entryEntity),
		receipts: entity.NewTable(db, receiptEntity), shops: entity.NewTable(db, shopEntity),
		baskets: entity.NewTable(db, basketEntity), orders: entity.NewTable(db, orderEntity),
		parcels:    entity.NewTable(db, parcelEntity),
		bookings:   bookings.New(db, &bookings.Options{StatusShards: own, CheckInShards: own, HoldShards: own, HoldGrace: grace, NoShowAfter: time.Nanosecond}),
		properties: hosts, nights: availability.New(db), reviews: reviews.New(db, hosts, &reviews.Options{PendingShards: own}),
		users:     users.New(db, &users.Options{EmailSecret: emailSecret}),
		calendars: calendar.New(db), slips: entity.NewTable(db, slipEntity),
		venue: venue.New(db, nil), invitations: entity.NewTable(db, invitationEntity),
		market:  newMarket(dynastay.Open(way, &onMarket), own),
		tracker: tracker.New(dynastay.Open(way, &travelling), &tracker.Options{Shards: own}),
		front:   newFrontOffice(dynastay.Open(fake.Client{Next: c.front.Client, Do: c.late.way}, &front)),
	}
}

// observe counts the conflicts, those that were injected among them.
func (c *checker) observe(_ context.Context, call dynastay.Call) {
	var single *types.TransactionConflictException
	var cancelled *types.TransactionCanceledException
	met := errors.As(call.Err, &single)
	if errors.As(call.Err, &cancelled) {
		for _, reason := range cancelled.CancellationReasons {
			met = met || reason.Code != nil && *reason.Code == "TransactionConflict"
		}
	}
	if met {
		c.conflicts.Add(1)
	}
}

// fault is one that befalls requests by chance.
type fault struct {
	name string
	*dyntest.Injection
}

// begin lets the storm loose. The faults are those of [dyntest.AnyOf], and answers that take long, each on its own, so
// that they can be counted: together they befall some 15 of 100 requests.
func (c *checker) begin() {
	c.db.Faults.Conflicts(time.Millisecond)
	c.front.Faults.Conflicts(time.Millisecond)
	for _, f := range []struct {
		name   string
		what   dyntest.Fault
		chance float64
	}{
		{"throttled", dyntest.Throttle(), 0.02},
		{"internal errors", dyntest.InternalError(), 0.015},
		{"internal errors after the commit", dyntest.InternalErrorAfterCommit(), 0.02},
		{"conflicts of nobody", dyntest.Conflict(), 0.02},
		{"in progress", dyntest.InProgress(), 0.015},
		{"lost requests", dyntest.LoseRequest(), 0.02},
		{"lost answers", dyntest.LoseAnswer(), 0.03},
		{"delayed requests", dyntest.Delay(3 * time.Millisecond), 0.015},
		{"delayed answers", dyntest.DelayAnswer(3 * time.Millisecond), 0.02},
		{"short pages", dyntest.ShortPages(1), 0.05},
		{"unprocessed", dyntest.Unprocessed(1), 0.15},
	} {
		for _, db := range []*dyntest.DB{c.db, c.front} {
			c.storm = append(c.storm, &fault{f.name, db.Faults.Inject(f.what, dyntest.When{Chance: f.chance, Optional: true})})
		}
	}
	c.late.begin()
	c.started = time.Now()
}

// end waits until the last request has arrived that somebody gave up.
func (c *checker) end() {
	for _, f := range c.storm {
		f.Stop()
	}
	c.late.end()
}

// latecomers are the requests that are still under way when their caller has given them up: a connection that breaks
// says nothing of what went through it.
type latecomers struct {
	mu    sync.Mutex
	rand  *rand.Rand
	open  bool
	count int
	under sync.WaitGroup
}

func (l *latecomers) begin() { l.set(true) }

func (l *latecomers) end() {
	l.set(false)
	l.under.Wait()
}

func (l *latecomers) set(open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = open
}

func (l *latecomers) number() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// draw says whether a request comes late, and by how much.
func (l *latecomers) draw() (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open || l.rand.IntN(40) > 0 {
		return 0, false
	}
	l.count++
	l.under.Add(1)
	most := []int{2, 20, 100}[l.rand.IntN(3)] // while the call still tries, about when it ends, and long after
	return time.Duration(l.rand.IntN(most*1000)) * time.Microsecond, true
}

// hurries says whether a read is sent once, see [latecomers.read].
func (l *latecomers) hurries() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open && l.rand.IntN(10) == 0
}

// way loses some writes and delivers them later, to the faults and the engine behind it. It sends some reads once.
func (l *latecomers) way(r *fake.Request) (any, error) {
	switch in := r.In.(type) {
	case *dynamodb.GetItemInput, *dynamodb.QueryInput, *dynamodb.BatchGetItemInput:
		return l.read(r)
	case *dynamodb.DeleteItemInput:
		if strings.HasSuffix(*in.TableName, latchTable.Name) {
			return r.Send() // nothing would tell whose latch it then removes
		}
	case *dynamodb.BatchWriteItemInput, *dynamodb.TransactGetItemsInput:
		return r.Send()
	}
	after, late := l.draw()
	if !late {
		return r.Send()
	}
	go func() {
		defer l.under.Done()
		time.Sleep(after)
		_, _ = r.SendAs(context.WithoutCancel(r.Context), oneAttempt)
	}()
	return nil, io.ErrUnexpectedEOF
}

func oneAttempt(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// read sends some reads once. If such a read fails, its answer comes as the context ends, if that is soon.
func (l *latecomers) read(r *fake.Request) (any, error) {
	if !l.hurries() {
		return r.Send()
	}
	out, err := r.SendAs(r.Context, append(r.Options, oneAttempt)...)
	if end, ends := r.Context.Deadline(); err != nil && ends && time.Until(end) < 100*time.Millisecond {
		<-r.Context.Done()
	}
	return out, err
}
