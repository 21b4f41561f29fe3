package main

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling/types"

	"github.com/dynastay/dynastay/provision"
)

// describer is the part of Application Auto Scaling that is asked.
type describer interface {
	applicationautoscaling.DescribeScalableTargetsAPIClient
	applicationautoscaling.DescribeScalingPoliciesAPIClient
}

// scaling reads what target tracking does.
type scaling struct{ client describer }

// Scaling returns the scales of a table and its indexes. What has a target but no policy does not change.
func (s scaling) Scaling(ctx context.Context, table string) (map[string]provision.Capacity, error) {
	all := map[string]provision.Capacity{}
	set := func(resource *string, dimension types.ScalableDimension, change func(*provision.Scale)) {
		name, index, _ := strings.Cut(strings.TrimPrefix(aws.ToString(resource), "table/"), "/index/")
		if name != table {
			return
		}
		c := all[index]
		if strings.HasSuffix(string(dimension), "ReadCapacityUnits") {
			change(&c.Read)
		} else {
			change(&c.Write)
		}
		all[index] = c
	}
	policies := applicationautoscaling.NewDescribeScalingPoliciesPaginator(s.client, &applicationautoscaling.DescribeScalingPoliciesInput{
		ServiceNamespace: types.ServiceNamespaceDynamodb,
	})
	for policies.HasMorePages() {
		page, err := policies.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range page.ScalingPolicies {
			if c := p.TargetTrackingScalingPolicyConfiguration; c != nil {
				set(p.ResourceId, p.ScalableDimension, func(s *provision.Scale) { s.Target = int(aws.ToFloat64(c.TargetValue)) })
			}
		}
	}
	targets := applicationautoscaling.NewDescribeScalableTargetsPaginator(s.client, &applicationautoscaling.DescribeScalableTargetsInput{
		ServiceNamespace: types.ServiceNamespaceDynamodb,
	})
	for targets.HasMorePages() {
		page, err := targets.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range page.ScalableTargets {
			set(t.ResourceId, t.ScalableDimension, func(s *provision.Scale) {
				s.Min, s.Max = int64(aws.ToInt32(t.MinCapacity)), int64(aws.ToInt32(t.MaxCapacity))
			})
		}
	}
	for index, c := range all {
		for _, s := range []*provision.Scale{&c.Read, &c.Write} {
			if s.Target == 0 || s.Max == 0 {
				*s = provision.Scale{}
			}
		}
		all[index] = c
	}
	return all, nil
}
