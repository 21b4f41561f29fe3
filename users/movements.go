package users

import (
	"context"
	"errors"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Loyalty reads the loyalty account of a user. If the user has never earned any points, it has none, and the first tier
// of [Options.Tiers]. opts may contain [dynastay.Consistent].
//
// Pattern U4: Users, PK = USER#{userId}, SK = LOYALTY, 1 request
func (r *Repository) Loyalty(ctx context.Context, userID string, opts ...dynastay.ReadOption) (_ *Loyalty, err error) {
	ctx, end := r.db.Begin(ctx, "users.Loyalty")
	defer func() { end(err) }()
	at, err := keys.Of(keys.Loyalty{UserID: userID})
	if err != nil {
		return nil, err
	}
	l, err := r.accounts.Get(ctx, at, opts...)
	if errors.Is(err, dynastay.ErrNotFound) {
		return &Loyalty{UserID: userID, Tier: r.tiers[0].Tier}, nil
	}
	return l, err
}

// LoyaltyEntry reads the movement with a reason, or fails with [dynastay.ErrNotFound]. opts may contain
// [dynastay.Consistent]. 1 request, a GetItem.
func (r *Repository) LoyaltyEntry(
	ctx context.Context, userID, reasonID string, opts ...dynastay.ReadOption,
) (_ *LoyaltyEntry, err error) {
	ctx, end := r.db.Begin(ctx, "users.LoyaltyEntry")
	defer func() { end(err) }()
	at, err := keys.Of(keys.LoyaltyEntry{UserID: userID, ReasonID: reasonID})
	if err != nil {
		return nil, err
	}
	return r.entries.Get(ctx, at, opts...)
}

// LoyaltyEntries lists the movements of a loyalty account, in the order of their reason ids, which is the order of the
// keys. It is not the order of their times, unless the reason ids are. 1 request per page, a Query.
func (r *Repository) LoyaltyEntries(userID string) dynastay.List[*LoyaltyEntry] {
	partition, err := keys.Partition(keys.LoyaltyEntry{UserID: userID})
	if err != nil {
		return dynastay.NoList[*LoyaltyEntry](err)
	}
	return r.entries.List(dynastay.Query{
		Name: "users.LoyaltyEntries", Partition: partition,
		Range: dynastay.Range{Prefix: keys.SortKind[keys.LoyaltyEntry]()},
	})
}

// EarnOp credits points to a loyalty account. The first movement creates the account; the user does not need to have a
// profile. The movement is recorded as a [LoyaltyEntry] in the same transaction, and only once for each reason: if the
// same movement is repeated, nothing is written, and the result is the entry of the first call, whatever the note. If
// the reason was used with other points, or to redeem points, EarnOp fails with [ErrReasonUsed], and if the movement
// was reversed, with [ErrReversed]. So if the outcome is unknown ([dynastay.ErrOutcomeUnknown]), repeat the movement.
//
// Only [Repository.ReverseOp] takes lifetime points back. When a movement takes them to or beyond the points from which
// a tier begins, see [Options.Tiers], the user gets that tier as of then. A higher tier, which other software may have
// granted, is kept. An account without a tier gets the one for its lifetime points.
//
// EarnOp fails with [ErrErased] if there is no account and the user's data was erased.
func (r *Repository) EarnOp(m Movement) *dynastay.Operation[*LoyaltyEntry] {
	return r.moveOp("users.Earn", m, m.Points)
}

// Earn runs [Repository.EarnOp]. 2 requests: a consistent BatchGetItem of the account and the entry, and the
// transaction; 1 if the movement is repeated.
func (r *Repository) Earn(ctx context.Context, m Movement, opts ...dynastay.WriteOption) (*LoyaltyEntry, error) {
	return dynastay.Do(ctx, r.db, r.EarnOp(m), opts...)
}

// RedeemOp debits points from a loyalty account. It fails with a [*PointsError] if the account has fewer points, or
// does not exist. Otherwise it is like [Repository.EarnOp].
func (r *Repository) RedeemOp(m Movement) *dynastay.Operation[*LoyaltyEntry] {
	return r.moveOp("users.Redeem", m, -m.Points)
}

// Redeem runs [Repository.RedeemOp]. 2 requests: a consistent BatchGetItem of the account and the entry, and the
// transaction; 1 if the movement is repeated or refused.
func (r *Repository) Redeem(ctx context.Context, m Movement, opts ...dynastay.WriteOption) (*LoyaltyEntry, error) {
	return dynastay.Do(ctx, r.db, r.RedeemOp(m), opts...)
}

// moveOp moves points. It contends for the account from the start: all movements of a user write it.
func (r *Repository) moveOp(op string, m Movement, points int) *dynastay.Operation[*LoyaltyEntry] {
	at, err := keys.Of(keys.Loyalty{UserID: m.UserID})
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*LoyaltyEntry]{Name: op, Invalid: err})
	}
	entryAt, err := keys.Of(keys.LoyaltyEntry{UserID: m.UserID, ReasonID: m.ReasonID})
	return dynastay.NewOp(dynastay.OpSpec[*LoyaltyEntry]{
		Name: op, Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Key(entryAt)
			in.Field("points", strconv.Itoa(points))
		},
		Contest: &dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.UsersTable, at)}},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*LoyaltyEntry, error) {
			rows, err := r.db.GetAll(ctx, keys.UsersTable, []dynastay.Key{at, entryAt}, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			if rows[1].Exists() {
				return repeated(op, m, points, rows[1])
			}
			e := &LoyaltyEntry{UserID: m.UserID, ReasonID: m.ReasonID, Points: points, Note: m.Note, CreatedAt: r.db.Now()}
			if rows[0].Exists() {
				err = r.moveAccount(tx, at, rows[0], func(l *Loyalty) error { return l.record(e, r.tiers) })
			} else {
				err = r.openAccount(tx, op, e)
			}
			if err != nil {
				return nil, err
			}
			item, err := entryEntity.Item(e)
			if err != nil {
				return nil, err
			}
			tx.Put(keys.UsersTable, item).Identified().If(absent, overtaken)
			return e, nil
		},
		Restore: func(ctx context.Context, _ map[string]string) (*LoyaltyEntry, error) {
			return r.entries.Get(ctx, entryAt, dynastay.Consistent)
		},
	})
}

// repeated returns the entry of an earlier movement with the same reason, if it is the same movement.
func repeated(op string, m Movement, points int, row dynastay.Row) (*LoyaltyEntry, error) {
	e, err := entryEntity.Value(row)
	if err != nil {
		return nil, err
	}
	switch {
	case e.Points != points:
		return nil, &dynastay.Error{Op: op, Entity: "LoyaltyEntry", ID: m.ReasonID, Field: "Points", Kind: ErrReasonUsed}
	case !e.ReversedAt.IsZero():
		return nil, &dynastay.Error{Op: op, Entity: "LoyaltyEntry", ID: m.ReasonID, Kind: ErrReversed}
	}
	return e, nil
}

// moveAccount changes an account. The account's write id is the condition: of two movements that read the same account,
// one is prepared again.
//
// It does not check whether the user was erased, although it creates the entry: Erase deletes the account when nobody
// can create it again, and finds the entries that were created until then.
func (r *Repository) moveAccount(tx *dynastay.Tx, at dynastay.Key, row dynastay.Row, fn func(*Loyalty) error) error {
	// With OrMissing, an account that is deleted in the meantime is read again, and found to be missing.
	change, err := changeOf(r.accounts, loyaltyEntity, at, row, fn, dynastay.OrMissing())
	if err != nil {
		return err
	}
	return change.AddTo(tx)
}

// openAccount creates an account, and sets the balance of the entry.
func (r *Repository) openAccount(tx *dynastay.Tx, op string, e *LoyaltyEntry) error {
	l := &Loyalty{UserID: e.UserID}
	if err := l.record(e, r.tiers); err != nil {
		return err
	}
	item, err := loyaltyEntity.Item(l)
	if err != nil {
		return err
	}
	if err := checkNotErased(tx, op, e.UserID); err != nil {
		return err
	}
	tx.Put(keys.UsersTable, item).Identified().If(absent, overtaken)
	return nil
}

// ReverseOp takes back the movement with a reason, for example because the booking for which the points were redeemed,
// or earned, is cancelled. Redeemed points are returned without counting as lifetime points; earned points are
// withdrawn, from the lifetime points too, but a tier that was reached remains. The entry stays, with the time of the
// reversal, and its reason cannot be used again. If it is reversed already, nothing is written, and the result is the
// entry.
//
// ReverseOp fails with [dynastay.ErrNotFound] if there is no such movement, and with a [*PointsError] if earned points
// have been redeemed since, so that fewer are left.
func (r *Repository) ReverseOp(userID, reasonID string) *dynastay.Operation[*LoyaltyEntry] {
	const op = "users.Reverse"
	at, err := keys.Of(keys.LoyaltyEntry{UserID: userID, ReasonID: reasonID})
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*LoyaltyEntry]{Name: op, Invalid: err})
	}
	account, err := keys.Of(keys.Loyalty{UserID: userID})
	return dynastay.NewOp(dynastay.OpSpec[*LoyaltyEntry]{
		Name: op, Invalid: err,
		Input:   func(in *dynastay.Input) { in.Key(at) },
		Contest: &dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.UsersTable, account)}},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*LoyaltyEntry, error) {
			rows, err := r.db.GetAll(ctx, keys.UsersTable, []dynastay.Key{account, at}, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			now := r.db.Now()
			change, err := changeOf(r.entries, entryEntity, at, rows[1], func(e *LoyaltyEntry) error {
				if e.ReversedAt.IsZero() {
					e.ReversedAt = now
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			if !change.Changed() {
				return change.After, nil
			}
			err = r.moveAccount(tx, account, rows[0], func(l *Loyalty) error { return l.reverse(change.Before.Points, now) })
			if err != nil {
				return nil, err
			}
			return change.After, change.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*LoyaltyEntry, error) {
			return r.entries.Get(ctx, at, dynastay.Consistent)
		},
	})
}

// Reverse runs [Repository.ReverseOp]. 2 requests: a consistent BatchGetItem of the account and the entry, and the
// transaction; 1 if the movement is reversed already.
func (r *Repository) Reverse(
	ctx context.Context, userID, reasonID string, opts ...dynastay.WriteOption,
) (*LoyaltyEntry, error) {
	return dynastay.Do(ctx, r.db, r.ReverseOp(userID, reasonID), opts...)
}
