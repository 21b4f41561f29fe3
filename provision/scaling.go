package provision

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Scaling says what target tracking does with a table. It belongs to Application Auto Scaling, another service than
// DynamoDB, so the caller provides it.
type Scaling interface {
	// Scaling returns the scales of a table and its indexes, by the name of the index, and "" for the table. A dimension
	// without target tracking has the zero [Scale].
	Scaling(ctx context.Context, table string) (map[string]Capacity, error)
}

// scaling compares what target tracking does.
func (o *Options) scaling(ctx context.Context, c *comparison) error {
	p := c.t.Settings.Provisioned
	if p == nil {
		return nil
	}
	if o.Scaling == nil {
		if slices.ContainsFunc(c.parts(), func(at part) bool { return p.Of(at.index).tracked() != Capacity{} }) {
			c.unchecked("Scaling", "no client of application auto scaling was given")
		}
		return nil
	}
	have, err := o.Scaling.Scaling(ctx, c.t.Name)
	if err != nil {
		return fmt.Errorf("scaling: %w", err)
	}
	for _, at := range c.parts() {
		want, is := p.Of(at.index).tracked(), have[at.index].tracked()
		if want == is {
			continue
		}
		c.add(Difference{
			Setting: at.about("Scaling"), Want: want.String(), Have: is.String(), Mend: ByHand,
			Effect: "Apply calls DynamoDB only. The templates have the scaling of the tables.",
		})
	}
	return nil
}

// tracked returns what target tracking must do with the capacity: nothing with one that does not change.
func (c Capacity) tracked() Capacity {
	for _, s := range []*Scale{&c.Read, &c.Write} {
		if s.Min == s.Max {
			*s = Scale{}
		} else {
			s.Target = cmp.Or(s.Target, DefaultTarget)
		}
	}
	return c
}

// String returns the capacity for people, such as "read 25 to 12000 at 70 %, write 25 to 4000 at 70 %".
func (c Capacity) String() string {
	return "read " + c.Read.String() + ", write " + c.Write.String()
}

// String returns the scale for people, such as "25 to 4000 at 70 %".
func (s Scale) String() string {
	switch {
	case s == Scale{}:
		return none
	case s.Min == s.Max:
		return fmt.Sprint(s.Min)
	}
	return fmt.Sprintf("%d to %d at %d %%", s.Min, s.Max, cmp.Or(s.Target, DefaultTarget))
}
