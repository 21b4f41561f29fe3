package properties

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

const (
	maxRatePlans    = 40   // that are active
	maxAllRatePlans = 200  // with those that are not active, because each change of a plan reads all of them
	maxRatePlanSize = 4096 // bytes as stored
)

// RatePlans returns the rate plans of a property in their order, including those that are not active. It accepts
// [dynastay.Consistent].
//
// If some plans cannot be decoded, RatePlans returns a [*dynastay.UnreadableError] together with the others.
//
// Pattern rate plans: Properties, PK = RATES#{propertyId}, SK begins with PLAN#, 1 request
func (r *Repository) RatePlans(
	ctx context.Context, propertyID string, opts ...dynastay.ReadOption,
) (_ []availability.RatePlan, err error) {
	ctx, end := r.db.Begin(ctx, "properties.RatePlans")
	defer func() { end(err) }()
	rows, err := r.ratePlanRows(ctx, propertyID, opts...)
	if err != nil {
		return nil, err
	}
	var all []availability.RatePlan
	var unreadable []error
	for _, row := range rows {
		plan, err := r.ratePlanEntity.Value(row)
		if err != nil {
			unreadable = append(unreadable, err)
			continue
		}
		all = append(all, *plan)
	}
	slices.SortFunc(all, inDisplayOrder)
	if len(unreadable) > 0 {
		return all, &dynastay.UnreadableError{Items: unreadable}
	}
	return all, nil
}

// GetRatePlan reads a rate plan, or fails with [dynastay.ErrNotFound]. It accepts [dynastay.Consistent]. 1 request.
func (r *Repository) GetRatePlan(
	ctx context.Context, propertyID, planID string, opts ...dynastay.ReadOption,
) (_ *availability.RatePlan, err error) {
	ctx, end := r.db.Begin(ctx, "properties.GetRatePlan")
	defer func() { end(err) }()
	key, err := keys.Of(keys.RatePlan{PropertyID: propertyID, RatePlanID: planID})
	if err != nil {
		return nil, err
	}
	return r.ratePlans.Get(ctx, key, opts...)
}

func inDisplayOrder(a, b availability.RatePlan) int {
	return cmp.Or(cmp.Compare(a.DisplayOrder, b.DisplayOrder), cmp.Compare(a.ID, b.ID))
}

func (r *Repository) ratePlanRows(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) ([]dynastay.Row, error) {
	partition, err := keys.Partition(keys.RatePlan{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	return dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{
		Partition: partition, Range: dynastay.Range{Prefix: keys.SortKind[keys.RatePlan]()},
		Consistent: slices.Contains(opts, dynastay.Consistent),
	})
}

// ratePlans are all plans of a property while one of them is being changed. What a plan may be depends on the others, so
// every change of a plan is conditional on the property as it was read, and renews it: nothing is derived from a plan
// that another caller is making a derived one.
// See docs/decisions/0024-rate-plans.md.
type ratePlans struct {
	repo     *Repository
	property *entity.Change[Property]
	plans    []*availability.RatePlan // those that can be decoded
	rows     map[string]dynastay.Row  // of all, by plan id
	before   []availability.RatePlan  // those that were advertised
	changed  bool                     // one of them is written
}

// ratePlanSpec says what an operation changes in the plans of a property.
type ratePlanSpec[R any] struct {
	invalid error
	input   func(*dynastay.Input) // nil if it cannot be written with an idempotency key
	options []dynastay.UpdateOption
	change  func(*dynastay.Tx, *ratePlans) (R, error)
	restore func(context.Context, map[string]string) (R, error)
}

func ratePlanOp[R any](r *Repository, op, propertyID string, s ratePlanSpec[R]) *dynastay.Operation[R] {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err == nil {
		err = s.invalid
	}
	return dynastay.NewOp(dynastay.OpSpec[R]{
		Name: op, Invalid: err, Input: s.input, Options: s.options,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (made R, err error) {
			plans, err := r.ratePlansOf(ctx, op, key, propertyID)
			if err == nil {
				made, err = s.change(tx, plans)
			}
			if err != nil {
				return *new(R), err
			}
			if plans.changed {
				plans.property.Renew()
				err = plans.advertise()
			}
			if err != nil {
				return *new(R), err
			}
			return made, plans.property.AddTo(tx)
		},
		Restore: s.restore,
	})
}

// ratePlansOf reads the property and then its plans. The plans that it reads are at least as new as the property, and a
// change of one in between renews the property, which then is not as it was read.
func (r *Repository) ratePlansOf(ctx context.Context, op string, property dynastay.Key, propertyID string) (*ratePlans, error) {
	row, err := r.db.Get(ctx, keys.PropertiesTable, property, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	change, err := r.part(op, property, row)
	if err != nil {
		return nil, err
	}
	rows, err := r.ratePlanRows(ctx, propertyID, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	all := r.decodePlans(rows)
	all.property = change
	return all, nil
}

// rates reads the plans and the charges of a property. It sends no request if it has neither.
func (r *Repository) rates(ctx context.Context, p *Property) ([]dynastay.Row, error) {
	if p.RatePlanCount == 0 && !p.HasCharges {
		return nil, nil
	}
	return r.ratesOf(ctx, p.ID)
}

// ratesOf reads the plans and the charges of a property, even if it should have none.
func (r *Repository) ratesOf(ctx context.Context, propertyID string) ([]dynastay.Row, error) {
	partition, err := keys.Partition(keys.RatePlan{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	return dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, dynastay.Query{Partition: partition, Consistent: true})
}

// decodePlans decodes the plans of a property.
func (r *Repository) decodePlans(rows []dynastay.Row) *ratePlans {
	all := &ratePlans{repo: r, rows: map[string]dynastay.Row{}}
	for _, row := range rows {
		id := strings.TrimPrefix(keys.PropertiesTable.Key.From(row).SK, keys.SortKind[keys.RatePlan]())
		all.rows[id] = row
		if plan, err := r.ratePlanEntity.Value(row); err == nil && plan.ID == id {
			all.plans = append(all.plans, plan)
		} // a plan that is unreadable cannot be changed, and does not prevent changes of the others
	}
	all.before = all.advertised()
	return all
}

func (s *ratePlans) find(id string) *availability.RatePlan {
	for _, p := range s.plans {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// check checks a plan against the property and its other plans; before is nil for a new one.
func (s *ratePlans) check(before, p *availability.RatePlan) error {
	active := len(s.rows) - len(s.plans) // of those that are unreadable nobody knows
	for _, other := range s.plans {
		if other.ID == p.ID {
			continue
		}
		if other.Active {
			active++
		}
		if d := other.Derived; d == nil || d.From != p.ID {
			continue
		}
		if p.Derived != nil {
			return dynastay.Invalid("Derived", "must be nil, because %s is derived from the plan", other.ID)
		}
		if !p.Active && other.Active {
			return dynastay.Invalid("Active", "must be true, because %s is derived from the plan", other.ID)
		}
		if err := sameCurrency(other, p); err != nil {
			return err
		}
	}
	if p.Active && active >= maxRatePlans {
		return dynastay.Invalid("Active", "must be false, because the property has %d active plans", maxRatePlans)
	}
	if d := p.Derived; d != nil && d.From != "" {
		from := s.find(d.From)
		switch {
		case from == nil:
			return dynastay.Invalid("Derived.From", "must be the id of a plan of the property")
		case from.Derived != nil:
			return dynastay.Invalid("Derived.From", "must be a plan with prices of its own, which %s is not", d.From)
		case p.Active && !from.Active:
			return dynastay.Invalid("Derived.From", "must be an active plan, which %s is not", d.From)
		}
		if err := sameCurrency(from, p); err != nil {
			return err
		}
	}
	if err := s.checkRooms(before, p); err != nil {
		return err
	}
	item, err := s.repo.ratePlanEntity.Item(p)
	if err != nil {
		return err
	}
	if size := stored.Size(item); size > maxRatePlanSize {
		return dynastay.Invalid("", "must have at most %d bytes as it is stored, has %d", maxRatePlanSize, size)
	}
	return nil
}

// sameCurrency checks the currency of a plan against that of one from which it is derived, or the other way round: one has
// the other's prices for a party.
func sameCurrency(other, p *availability.RatePlan) error {
	if a, b := other.Currency(), p.Currency(); a != "" && b != "" && a != b {
		return dynastay.Invalid("Currency", "must be %s, the currency of the plan %s, got %s", a, other.ID, b)
	}
	return nil
}

// checkRooms checks the room types of a plan, and its currency. A room type that has been deleted since stays in the
// plan, and so does another currency that the room types have had.
func (s *ratePlans) checkRooms(before, p *availability.RatePlan) error {
	rooms := s.property.Before.rooms
	for i, id := range p.RoomTypeIDs {
		has := func(room CardRoom) bool { return room.ID == id }
		if !slices.ContainsFunc(rooms, has) && (before == nil || !slices.Contains(before.RoomTypeIDs, id)) {
			return dynastay.Invalid(fmt.Sprintf("RoomTypeIDs[%d]", i), "must be a room type of the property")
		}
	}
	sells := before == nil || p.Active && !before.Active || p.Currency() != before.Currency()
	if currency := p.Currency(); sells && len(rooms) > 0 && currency != "" && currency != rooms[0].BasePrice.Currency() {
		return dynastay.Invalid("Currency", "must be %s, the currency of the room types, got %s", rooms[0].BasePrice.Currency(), currency)
	}
	return nil
}

// CreateRatePlanOp creates a rate plan. It fails with [dynastay.ErrNotFound] if the property does not exist, with
// [dynastay.ErrAlreadyExists] if it has a plan with the id, even an inactive one, with a [*StatusError] if it is
// being deleted, and with [ErrForeign]. A [*dynastay.InvalidError] names the field of a plan that does not fit the
// property: a plan is derived from an active one with prices of its own, and its amounts are in the currency of the room
// types. A property has at most 40 active plans, and 200 with the others; a plan has at most 4,096 bytes as it is stored. The
// property advertises at most 5 plans; with their names and terms, they have at most 1,000 bytes on its card.
func (r *Repository) CreateRatePlanOp(plan availability.RatePlan) *dynastay.Operation[*availability.RatePlan] {
	const op = "properties.CreateRatePlan"
	created, err := r.ratePlans.Creation(&plan)
	key, keyErr := keys.Of(keys.RatePlan{PropertyID: plan.PropertyID, RatePlanID: plan.ID})
	if err == nil {
		err = keyErr
	}
	return ratePlanOp(r, op, plan.PropertyID, ratePlanSpec[*availability.RatePlan]{
		invalid: err,
		input:   created.Input,
		change: func(tx *dynastay.Tx, all *ratePlans) (*availability.RatePlan, error) {
			if _, there := all.rows[plan.ID]; there {
				return nil, &dynastay.Error{Op: op, Entity: "RatePlan", ID: plan.ID, Field: "ID", Kind: dynastay.ErrAlreadyExists}
			}
			if len(all.rows) >= maxAllRatePlans {
				return nil, dynastay.Invalid("ID", "must be that of an existing plan, because the property has %d plans", maxAllRatePlans)
			}
			if err := all.check(nil, created.Value); err != nil {
				return nil, err
			}
			err := all.property.Keep(func(p *Property) error {
				p.RatePlanCount = len(all.rows) + 1
				return nil
			})
			if err == nil {
				all.changed, err = true, created.AddTo(tx) // even if other software has left the right count
				all.plans = append(all.plans, created.Value)
			}
			made := *created.Value
			return &made, err
		},
		restore: r.ratePlan(key),
	})
}

// ratePlan reads a plan, for the result of a repeated operation.
func (r *Repository) ratePlan(key dynastay.Key) func(context.Context, map[string]string) (*availability.RatePlan, error) {
	return func(ctx context.Context, _ map[string]string) (*availability.RatePlan, error) {
		return r.ratePlans.Get(ctx, key, dynastay.Consistent)
	}
}

// CreateRatePlan runs [Repository.CreateRatePlanOp], after [Repository.Adopt] if it is needed. 3 requests.
func (r *Repository) CreateRatePlan(
	ctx context.Context, plan availability.RatePlan, opts ...dynastay.WriteOption,
) (*availability.RatePlan, error) {
	return adopted(ctx, r, plan.PropertyID, "properties.CreateRatePlan", func(ctx context.Context) (*availability.RatePlan, error) {
		return dynastay.Do(ctx, r.db, r.CreateRatePlanOp(plan), opts...)
	})
}

// UpdateRatePlanOp updates a rate plan as [Repository.UpdateOp] updates a property. fn may change any field except the
// ids, the times and the version. A plan that is no longer sold is archived by setting Active to false; it is never
// deleted, because bookings name it. What has been booked or quoted keeps its terms.
//
// It fails with [dynastay.ErrNotFound] if the property or the plan does not exist, with [dynastay.ErrVersion] if the
// plan is not at the version of [dynastay.IfVersion], with [dynastay.ErrCorrupt] if the plan cannot be decoded, and
// otherwise like [Repository.CreateRatePlanOp]. A plan from which others are derived cannot become derived, and cannot
// be archived while they are active.
func (r *Repository) UpdateRatePlanOp(
	propertyID, planID string, fn func(*availability.RatePlan) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*availability.RatePlan] {
	const op = "properties.UpdateRatePlan"
	key, err := keys.Of(keys.RatePlan{PropertyID: propertyID, RatePlanID: planID})
	if err == nil {
		err = r.ratePlanEntity.CheckUpdate(opts...)
	}
	return ratePlanOp(r, op, propertyID, ratePlanSpec[*availability.RatePlan]{
		invalid: err, input: entity.InputOf(key, opts...), options: opts,
		change: func(tx *dynastay.Tx, all *ratePlans) (*availability.RatePlan, error) {
			return all.update(tx, op, planID, fn, opts...)
		},
		restore: r.ratePlan(key),
	})
}

// update changes one plan.
func (s *ratePlans) update(
	tx *dynastay.Tx, op, planID string, fn func(*availability.RatePlan) error, opts ...dynastay.UpdateOption,
) (*availability.RatePlan, error) {
	c, err := s.changeOf(op, planID, fn, opts...)
	if err == nil && c.Changed() {
		err = s.check(c.Before, c.After)
	}
	if err != nil {
		return nil, err
	}
	return c.After, c.AddTo(tx)
}

func (s *ratePlans) changeOf(
	op, planID string, fn func(*availability.RatePlan) error, opts ...dynastay.UpdateOption,
) (*entity.Change[availability.RatePlan], error) {
	row, there := s.rows[planID]
	if !there {
		return nil, &dynastay.Error{Op: op, Entity: "RatePlan", ID: planID, Kind: dynastay.ErrNotFound}
	}
	c, err := s.repo.ratePlans.ChangeOf(keys.PropertiesTable.Key.From(row), row, fn, opts...)
	if err == nil && c.Changed() {
		s.changed = true
		for i, plan := range s.plans {
			if plan.ID == planID {
				s.plans[i] = c.After
			}
		}
	}
	return c, err
}

// UpdateRatePlan runs [Repository.UpdateRatePlanOp], after [Repository.Adopt] if it is needed. 3 requests.
func (r *Repository) UpdateRatePlan(
	ctx context.Context, propertyID, planID string, fn func(*availability.RatePlan) error, opts ...dynastay.UpdateOption,
) (*availability.RatePlan, error) {
	return adopted(ctx, r, propertyID, "properties.UpdateRatePlan", func(ctx context.Context) (*availability.RatePlan, error) {
		return dynastay.Do(ctx, r.db, r.UpdateRatePlanOp(propertyID, planID, fn, opts...))
	})
}

// OrderRatePlansOp sets the DisplayOrder of plans, and returns them: those that are named come first, in this order, then
// the other active ones in their present order. At most 40 can be named. It fails with [dynastay.ErrNotFound] if the
// property or a plan does not exist, with [dynastay.ErrCorrupt] if a plan that is named cannot be decoded, with a
// [*StatusError] if the property is being deleted, and with [ErrForeign].
func (r *Repository) OrderRatePlansOp(propertyID string, planIDs []string) *dynastay.Operation[[]availability.RatePlan] {
	const op = "properties.OrderRatePlans"
	planIDs = slices.Clone(planIDs)
	return ratePlanOp(r, op, propertyID, ratePlanSpec[[]availability.RatePlan]{
		invalid: checkOrder(planIDs),
		input: func(in *dynastay.Input) {
			in.Field("property", propertyID)
			for _, id := range planIDs {
				in.Field("plan", id)
			}
		},
		change: func(tx *dynastay.Tx, all *ratePlans) (ordered []availability.RatePlan, err error) {
			for i, id := range all.order(planIDs) {
				c, err := all.changeOf(op, id, func(p *availability.RatePlan) error { p.DisplayOrder = i + 1; return nil })
				if err == nil {
					err = c.AddTo(tx)
				}
				if err != nil {
					return nil, err
				}
				ordered = append(ordered, *c.After)
			}
			return ordered, nil
		},
		restore: func(ctx context.Context, _ map[string]string) ([]availability.RatePlan, error) {
			all, err := r.RatePlans(ctx, propertyID, dynastay.Consistent)
			return slices.DeleteFunc(all, func(p availability.RatePlan) bool {
				return !p.Active && !slices.Contains(planIDs, p.ID)
			}), err
		},
	})
}

func checkOrder(planIDs []string) error {
	if len(planIDs) > maxRatePlans {
		return dynastay.Invalid("RatePlanIDs", "must have at most %d entries", maxRatePlans)
	}
	for i, id := range planIDs {
		at := fmt.Sprintf("RatePlanIDs[%d]", i)
		if err := availability.CheckRatePlanID(id); err != nil {
			return dynastay.Within(at, err)
		}
		if slices.Contains(planIDs[:i], id) {
			return dynastay.Invalid(at, "appears more than once")
		}
	}
	return nil
}

// order returns the named plans and then the other active ones.
func (s *ratePlans) order(named []string) []string {
	var rest []availability.RatePlan
	for _, p := range s.plans {
		if p.Active && !slices.Contains(named, p.ID) {
			rest = append(rest, *p)
		}
	}
	slices.SortFunc(rest, inDisplayOrder)
	all := slices.Clone(named)
	for _, p := range rest {
		all = append(all, p.ID)
	}
	return all
}

// OrderRatePlans runs [Repository.OrderRatePlansOp], after [Repository.Adopt] if it is needed. 3 requests.
func (r *Repository) OrderRatePlans(
	ctx context.Context, propertyID string, planIDs []string, opts ...dynastay.WriteOption,
) ([]availability.RatePlan, error) {
	return adopted(ctx, r, propertyID, "properties.OrderRatePlans", func(ctx context.Context) ([]availability.RatePlan, error) {
		return dynastay.Do(ctx, r.db, r.OrderRatePlansOp(propertyID, planIDs), opts...)
	})
}
