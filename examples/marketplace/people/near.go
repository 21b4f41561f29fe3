package people

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// NearQuery selects the users with a role within a radius of a point.
type NearQuery struct {
	Role                Role
	Latitude, Longitude float64  // decimal degrees
	Radius              float64  // metres, from [key.MinRadius] to [key.MaxRadius]: 100 m to 100 km
	Skills              []string // only workers with all of them, at most MaxSkills; optional
}

// Nearby is a user and the distance from the point of a [NearQuery].
type Nearby struct {
	*Profile
	Distance float64 // metres, as [key.Distance] returns it
}

// Near returns the users within a great-circle distance of a point, nearest first, and those at the same distance by
// id. With skills, it returns the workers who have all that a job needs. The result is eventually consistent: recent
// changes may not be visible yet, and a user whose coordinates are changed meanwhile may be missing. A user of other
// software is found once adopted, see [Repository.Adopt].
//
// An item that cannot be read does not hide the others: Near returns it in a [*dynastay.UnreadableError] together with
// the users, even if it is outside the radius. With any other error, there are no users.
//
// Near reads the ranges that [key.Cover] returns: usually about 8, at most 32, in parallel. Each takes 1 request, and 1
// more for each further MB. All users in them are read, half a read unit for every 4 KB. With skills, the ranges are
// read for each skill, from items that are much smaller than a profile, and then the profiles of those who have them
// all, 1 request for every 100.
func (r *Repository) Near(ctx context.Context, q NearQuery) ([]Nearby, error) {
	ranges, err := key.Cover(q.center(), q.Radius)
	if err != nil {
		return nil, err
	}
	if err := q.Role.validate(); err != nil {
		return nil, err
	}
	if len(q.Skills) > 0 {
		if q.Role != Worker {
			return nil, dynastay.Invalid("Skills", "are only for workers")
		}
		if q.Skills, err = foldSkills(q.Skills); err != nil {
			return nil, err
		}
	}
	found, unreadable, err := r.near(ctx, q, ranges)
	if err != nil {
		return nil, err
	}
	var all []Nearby
	for _, p := range found {
		distance, err := q.distance(p.ID, p.Location)
		if err != nil {
			unreadable = append(unreadable, err)
		} else if distance <= q.Radius {
			all = append(all, Nearby{p, distance})
		}
	}
	slices.SortFunc(all, func(a, b Nearby) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.ID, b.ID))
	})
	if len(unreadable) > 0 {
		return all, &dynastay.UnreadableError{Items: unreadable}
	}
	return all, nil
}

// near returns the users in the ranges, some of whom may be too far away, and the errors of items that cannot be read.
func (r *Repository) near(
	ctx context.Context, q NearQuery, ranges []key.CellRange,
) (found map[string]*Profile, unreadable []error, err error) {
	found = map[string]*Profile{} // by key: a user who moved between two of the requests may be in both ranges
	if len(q.Skills) == 0 {
		rows, err := r.rowsIn(ctx, ranges, func(cell string) (string, error) {
			return key.Partition(keys.ProfileByPlace{Role: string(q.Role), Cell: cell})
		})
		for _, row := range rows {
			p, err := r.profile.Value(row)
			if err != nil {
				unreadable = append(unreadable, err)
			} else {
				found[keys.Table.Key.From(row).PK] = p
			}
		}
		return found, unreadable, err
	}
	skills := map[string]map[string]bool{} // of each worker
	for _, name := range q.Skills {
		rows, err := r.rowsIn(ctx, ranges, func(cell string) (string, error) {
			return key.Partition(keys.SkillByPlace{Skill: name, Cell: cell})
		})
		if err != nil {
			return nil, nil, err
		}
		for _, row := range rows {
			s, err := r.skill.Value(row)
			at, invalid := key.Parse[keys.Skill](keys.Table.Key.From(row)) // the user, whatever id the item has
			if err = cmp.Or(err, invalid); err != nil {
				unreadable = append(unreadable, err)
				continue
			}
			if distance := key.Distance(q.center(), s.Location.point()); distance > q.Radius {
				continue
			}
			if skills[at.UserID] == nil {
				skills[at.UserID] = map[string]bool{}
			}
			skills[at.UserID][name] = true
		}
	}
	var ids []string
	for id, has := range skills {
		if len(has) == len(q.Skills) {
			ids = append(ids, id)
		}
	}
	profiles, err := r.Profiles(ctx, ids)
	var some *dynastay.UnreadableError
	if errors.As(err, &some) {
		unreadable = append(unreadable, some.Items...)
	} else if err != nil {
		return nil, nil, err
	}
	for id, p := range profiles {
		if !slices.ContainsFunc(q.Skills, func(folded string) bool { return !p.has(folded) }) {
			found[id] = p
		}
	}
	return found, unreadable, nil
}

// rowsIn returns the rows of ranges of the index by place.
func (r *Repository) rowsIn(
	ctx context.Context, ranges []key.CellRange, partition func(cell string) (string, error),
) ([]dynastay.Row, error) {
	rows := make([][]dynastay.Row, len(ranges))
	err := r.db.Each(ctx, len(ranges), func(ctx context.Context, i int) error {
		at, err := partition(ranges[i].Cell)
		if err != nil {
			return err
		}
		rows[i], err = dynastay.QueryAll(ctx, r.db, keys.Table, dynastay.Query{
			Index: keys.Index2, Partition: at, Range: dynastay.Range{From: ranges[i].From, To: ranges[i].To},
		})
		return err
	})
	return slices.Concat(rows...), err
}

// distance returns the distance of a user, or an error if other software has stored coordinates that do not exist.
func (q NearQuery) distance(userID string, l Location) (float64, error) {
	if _, err := key.PlaceOf(l.Latitude, l.Longitude); err != nil {
		return 0, corrupt("people.Near", userID, dynastay.Within("Location", err))
	}
	return key.Distance(q.center(), l.point()), nil
}

func (q NearQuery) center() key.Point { return key.Point{Latitude: q.Latitude, Longitude: q.Longitude} }

func (l Location) point() key.Point { return key.Point{Latitude: l.Latitude, Longitude: l.Longitude} }
