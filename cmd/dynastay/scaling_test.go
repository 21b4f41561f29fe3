package main

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	autoscaling "github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision"
)

// autoScaling answers with one entry a page. No engine has Application Auto Scaling.
type autoScaling struct {
	targets  []types.ScalableTarget
	policies []types.ScalingPolicy
	err      error
}

func (a autoScaling) DescribeScalableTargets(_ context.Context, in *autoscaling.DescribeScalableTargetsInput, _ ...func(*autoscaling.Options)) (*autoscaling.DescribeScalableTargetsOutput, error) {
	one, next := page(a.targets, in.NextToken)
	return &autoscaling.DescribeScalableTargetsOutput{ScalableTargets: one, NextToken: next}, a.err
}

func (a autoScaling) DescribeScalingPolicies(_ context.Context, in *autoscaling.DescribeScalingPoliciesInput, _ ...func(*autoscaling.Options)) (*autoscaling.DescribeScalingPoliciesOutput, error) {
	one, next := page(a.policies, in.NextToken)
	return &autoscaling.DescribeScalingPoliciesOutput{ScalingPolicies: one, NextToken: next}, nil
}

func page[T any](all []T, token *string) ([]T, *string) {
	at := len(aws.ToString(token))
	if at+1 < len(all) {
		return all[at : at+1], aws.String("................"[:at+1])
	}
	return all[at:], nil
}

func TestScaling(t *testing.T) {
	target := func(resource string, d types.ScalableDimension, least, most int32) types.ScalableTarget {
		return types.ScalableTarget{ResourceId: &resource, ScalableDimension: d, MinCapacity: &least, MaxCapacity: &most}
	}
	policy := func(resource string, d types.ScalableDimension, percent float64) types.ScalingPolicy {
		return types.ScalingPolicy{ResourceId: &resource, ScalableDimension: d, TargetTrackingScalingPolicyConfiguration: &types.TargetTrackingScalingPolicyConfiguration{
			TargetValue: &percent,
		}}
	}
	const table, index = "table/prod-Availability", "table/prod-Availability/index/GSI1-PropertyDateIndex"
	reads, writes := types.ScalableDimensionDynamoDBTableReadCapacityUnits, types.ScalableDimensionDynamoDBTableWriteCapacityUnits
	a := autoScaling{
		targets: []types.ScalableTarget{
			target(table, reads, 5, 50), target(table, writes, 6, 60), target(index, types.ScalableDimensionDynamoDBIndexWriteCapacityUnits, 7, 70),
			target("table/prod-Users", reads, 1, 2), target(index, types.ScalableDimensionDynamoDBIndexReadCapacityUnits, 8, 80),
		},
		policies: []types.ScalingPolicy{
			policy(table, reads, 70), policy(index, types.ScalableDimensionDynamoDBIndexWriteCapacityUnits, 50), policy("table/prod-Users", reads, 70),
			{ResourceId: aws.String(table), ScalableDimension: writes}, // step scaling
		},
	}
	got, err := scaling{a}.Scaling(t.Context(), "prod-Availability")
	require.NoError(t, err)
	assert.Equal(t, map[string]provision.Capacity{
		"":                       {Read: provision.Scale{Min: 5, Max: 50, Target: 70}},
		"GSI1-PropertyDateIndex": {Write: provision.Scale{Min: 7, Max: 70, Target: 50}},
	}, got)
	a.err = errors.New("no permission")
	_, err = scaling{a}.Scaling(t.Context(), "prod-Availability")
	assert.ErrorIs(t, err, a.err)
}
