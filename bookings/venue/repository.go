package venue

import (
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository reads and writes everything of a venue.
type Repository struct {
	db       *dynastay.DB
	zone     *time.Location
	pending  key.Shards
	emailKey func(string) (string, error)

	user         *entity.Entity[User]
	booking      *entity.Entity[Booking]
	event        *entity.Entity[Event]
	payment      *entity.Entity[Payment]
	notification *entity.Entity[Notification]
	code         *entity.Entity[LockCode]
	entry        *entity.Entity[AuditEntry]

	users         *entity.Table[User]
	bookings      *entity.Table[Booking]
	events        *entity.Table[Event]
	payments      *entity.Table[Payment]
	notifications *entity.Table[Notification]
	codes         *entity.Table[LockCode]
	entries       *entity.Table[AuditEntry]
}

// Options configure [New].
type Options struct {
	// TimeZone is that of the venue. It determines which day is today. Default: UTC.
	TimeZone *time.Location
	// PendingShards spread the list of the bookings that wait for a decision (V5) over several partitions of the index.
	// Default: one partition.
	PendingShards key.Shards
	// EmailSecret keeps addresses out of keys: they contain the HMAC-SHA-256 of the address, see key.HashEmail. All
	// processes need the same secret, and it cannot be changed while there are users. Default: none, keys contain the
	// addresses.
	EmailSecret []byte
}

// New returns a repository. It sends no requests. A nil opts means the defaults. It panics if the shards are invalid.
// Create one for the process and share it.
func New(db *dynastay.DB, opts *Options) *Repository {
	if opts == nil {
		opts = &Options{}
	}
	opts.PendingShards.Must("venue.Options.PendingShards")
	secret := slices.Clone(opts.EmailSecret)
	emailKey := func(email string) (string, error) {
		if len(secret) == 0 {
			return email, nil
		}
		return key.HashEmail(secret, email)
	}
	r := &Repository{
		db: db, zone: time.UTC, pending: opts.PendingShards, emailKey: emailKey,
		user: newUsers(emailKey), booking: newBookings(opts.PendingShards), event: newEvents(), payment: newPayments(),
		notification: newNotifications(), code: newLockCodes(), entry: newAuditEntries(),
	}
	if opts.TimeZone != nil {
		r.zone = opts.TimeZone
	}
	r.users = entity.NewTable(db, r.user)
	r.bookings = entity.NewTable(db, r.booking)
	r.events = entity.NewTable(db, r.event)
	r.payments = entity.NewTable(db, r.payment)
	r.notifications = entity.NewTable(db, r.notification)
	r.codes = entity.NewTable(db, r.code)
	r.entries = entity.NewTable(db, r.entry)
	return r
}

// today returns the date at the venue.
func (r *Repository) today() dynastay.Date { return dynastay.DateOf(r.db.Now(), r.zone) }

// consistent reports whether the caller asks for a consistent read.
func consistent(opts []dynastay.ReadOption) bool { return slices.Contains(opts, dynastay.Consistent) }
