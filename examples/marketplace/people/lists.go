package people

import (
	"context"
	"slices"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// InCity returns the users with a role in a city, by id. With the city "", it returns all users with the role, by city.
// The index lags behind the table, as in all searches: recent changes may not be visible yet. 1 request a page; if the
// partition is sharded, 1 for each shard.
//
// Pattern M2: GSI1, GSI1PK = ROLE#{role}, GSI1SK begins with LOCATION#{city}#, 1 request
func (r *Repository) InCity(role Role, city string) dynastay.List[*Profile] {
	if err := role.validate(); err != nil {
		return dynastay.NoList[*Profile](err)
	}
	prefix, err := cityPrefix(city)
	if err != nil {
		return dynastay.NoList[*Profile](err)
	}
	partitions, err := key.Partitions(keys.ProfileByCity{Role: string(role)}, r.opts.Shards.Read)
	if err != nil {
		return dynastay.NoList[*Profile](err)
	}
	return r.profiles.List(dynastay.Query{
		Name: "people.InCity", Index: keys.Index1, Partition: partitions[0], Shards: partitions[1:],
		Range: dynastay.Range{Prefix: prefix},
	})
}

// cityPrefix is what the sort keys of the rows of a city begin with, whether they are of profiles or of skills.
func cityPrefix(city string) (string, error) {
	if city == "" {
		return key.SortKind[keys.ProfileByCity](), nil
	}
	return key.SortPrefix(keys.ProfileByCity{City: city})
}

// WithAnySkill returns the workers in a city with at least one of 1 to [MaxSkills] skills, by id. With the city "", it
// returns those of all cities, by city. Skills are found in any spelling, see key.Fold. A worker who has just moved is
// missing until the index shows the new city.
//
// For every read of the index, a page takes 1 request for each skill and shard. Then it takes 1 request for every 100
// profiles: half a read unit for every 4 KB of each. [dynastay.Paging.Until] is supported only for a single skill.
func (r *Repository) WithAnySkill(city string, skills ...string) dynastay.List[*Profile] {
	return r.bySkills(skillQuery{"people.WithAnySkill", city, skills, 1}, dynastay.Union[keys.SkillByCity])
}

// WithAllSkills returns the workers in a city with all of 1 to [MaxSkills] skills. Otherwise it is like
// [Repository.WithAnySkill]. If few workers have all of the skills, a page takes several reads, see [dynastay.Paging].
func (r *Repository) WithAllSkills(city string, skills ...string) dynastay.List[*Profile] {
	return r.bySkills(skillQuery{"people.WithAllSkills", city, skills, len(skills)}, dynastay.Intersect[keys.SkillByCity])
}

type skillQuery struct {
	name   string
	city   string
	skills []string
	least  int // how many of the skills a worker must have
}

func (r *Repository) bySkills(
	q skillQuery, combine func(...dynastay.List[keys.SkillByCity]) dynastay.List[keys.SkillByCity],
) dynastay.List[*Profile] {
	prefix, err := cityPrefix(q.city)
	if err != nil {
		return dynastay.NoList[*Profile](err)
	}
	if q.skills, err = foldSkills(q.skills); err != nil {
		return dynastay.NoList[*Profile](err)
	}
	q.least = min(q.least, len(q.skills))
	index, _ := keys.Table.Index(keys.Index1)
	lists := make([]dynastay.List[keys.SkillByCity], len(q.skills))
	for i, name := range q.skills {
		partitions, err := key.Partitions(keys.SkillByCity{Skill: name}, r.opts.Shards.Read)
		if err != nil {
			return dynastay.NoList[*Profile](err)
		}
		lists[i] = dynastay.ListOf(r.db, keys.Table, dynastay.Query{
			Name: q.name, Index: keys.Index1, Partition: partitions[0], Shards: partitions[1:],
			Range: dynastay.Range{Prefix: prefix},
		}, func(_ context.Context, row dynastay.Row) (keys.SkillByCity, error) {
			return key.Parse[keys.SkillByCity](index.Key.From(row))
		})
	}
	return dynastay.Load(combine(lists...), func(ctx context.Context, rows []keys.SkillByCity) ([]*Profile, error) {
		ids := make([]string, len(rows))
		for i, row := range rows {
			ids[i] = row.UserID
		}
		profiles, err := r.Profiles(ctx, ids) // the others together with an UnreadableError
		var found []*Profile
		for _, row := range rows {
			if p := profiles[row.UserID]; p != nil && q.finds(row, p) {
				found = append(found, p)
			}
		}
		return found, err
	})
}

// finds reports whether a profile belongs into the list for a row, because the index may be behind the profile. While a
// worker with several skills moves, the index may have rows in both cities; only those in the present one count.
func (q skillQuery) finds(row keys.SkillByCity, p *Profile) bool {
	at, _ := cityPrefix(row.City)
	if now, err := cityPrefix(p.Location.City); err != nil || at != now {
		return false
	}
	has := slices.DeleteFunc(slices.Clone(q.skills), func(folded string) bool { return !p.has(folded) })
	return len(has) >= q.least
}

// has reports whether a worker has a skill, in the form of key.Fold.
func (p *Profile) has(folded string) bool {
	return slices.ContainsFunc(p.Work.Skills, func(name string) bool { return key.Fold(name) == folded })
}

// foldSkills returns the skills to search for, in the form of key.Fold, sorted and each once.
func foldSkills(skills []string) ([]string, error) {
	var all []string
	for i, name := range skills {
		if err := checkSkill(name); err != nil {
			return nil, dynastay.Within("Skills["+strconv.Itoa(i)+"]", err)
		}
		all = append(all, key.Fold(name))
	}
	slices.Sort(all) // cursors do not depend on the order
	all = slices.Compact(all)
	if n := len(all); n < 1 || n > MaxSkills {
		return nil, dynastay.Invalid("Skills", "must be 1 to %d, got %d", MaxSkills, n)
	}
	return all, nil
}
