package provision

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Report is how a table differs from what it must be.
type Report struct {
	Table       string
	Differences []Difference `json:",omitzero"` // none if the table is as it must be
	Unchecked   []Unchecked  `json:",omitzero"` // the settings of which nobody can say how they are
	// Items and Bytes are the size of the table. DynamoDB counts it about every six hours.
	Items, Bytes int64
}

// Unchecked is a setting that could not be compared.
type Unchecked struct {
	Setting, Reason string
}

// Look compares a table with what it must be, with three requests, and one more for each ten tags if it must have some. It
// changes nothing.
func Look(ctx context.Context, control Control, t Table, opts *Options) (*Report, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	s, err := see(ctx, control, t)
	var r *Report
	if err == nil {
		r, err = opts.orDefault().compare(ctx, t, s)
	}
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	}
	return r, nil
}

// seen is how a table is.
type seen struct {
	table *types.TableDescription // nil if there is no table; then the rest is empty
	ttl   *types.TimeToLiveDescription
	// backups is nil if the engine has no point-in-time recovery.
	backups *types.PointInTimeRecoveryDescription
	tags    map[string]string // nil if the engine has no tags
}

func see(ctx context.Context, control Control, t Table) (*seen, error) {
	s := &seen{tags: map[string]string{}}
	described, err := control.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.Name})
	switch {
	case as[*types.ResourceNotFoundException](err):
		return s, nil
	case err != nil:
		return nil, err
	}
	if s.table = described.Table; !s.known() {
		return s, nil
	}
	ttl, err := control.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &t.Name})
	if err != nil {
		return nil, err
	}
	s.ttl = ttl.TimeToLiveDescription
	backups, err := control.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &t.Name})
	switch {
	case unknownOperation(err):
	case err != nil:
		return nil, err
	default:
		if s.backups = backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription; s.backups == nil {
			s.backups = &types.PointInTimeRecoveryDescription{}
		}
	}
	if len(t.Settings.Tags) == 0 {
		return s, nil
	}
	in := &dynamodb.ListTagsOfResourceInput{ResourceArn: s.table.TableArn}
	for {
		page, err := control.ListTagsOfResource(ctx, in)
		switch {
		case unknownOperation(err):
			s.tags = nil
			return s, nil
		case err != nil:
			return nil, err
		}
		for _, tag := range page.Tags {
			s.tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
		}
		if in.NextToken = page.NextToken; aws.ToString(in.NextToken) == "" {
			return s, nil
		}
	}
}

// known reports whether the other requests know the table, and not only DescribeTable.
func (s *seen) known() bool {
	switch s.table.TableStatus {
	case types.TableStatusCreating, types.TableStatusDeleting, types.TableStatusArchiving, types.TableStatusArchived:
		return false
	}
	return true
}

// settled reports whether DynamoDB has nothing in progress with the table that a change would have to wait for. With a
// table that it does not serve, it has nothing in progress that is sure to end.
func (s *seen) settled() bool {
	if s.table == nil || s.table.TableStatus != types.TableStatusActive {
		return s.table == nil || !passes(s.table.TableStatus)
	}
	if w := s.table.WarmThroughput; w != nil && w.Status == types.TableStatusUpdating {
		return false
	}
	for _, index := range s.table.GlobalSecondaryIndexes {
		if w := index.WarmThroughput; inProgress(index) || w != nil && w.Status == types.IndexStatusUpdating {
			return false
		}
	}
	for _, r := range s.table.Replicas {
		if replicating(r.ReplicaStatus) {
			return false
		}
	}
	if e := s.table.SSEDescription; e != nil {
		switch e.Status {
		case types.SSEStatusEnabling, types.SSEStatusDisabling, types.SSEStatusUpdating:
			return false
		}
	}
	return true
}

// passes reports whether a table gets another status without anybody's doing.
func passes(s types.TableStatus) bool {
	return slices.Contains([]types.TableStatus{
		types.TableStatusCreating, types.TableStatusUpdating, types.TableStatusDeleting, types.TableStatusArchiving,
	}, s)
}

func inProgress(index types.GlobalSecondaryIndexDescription) bool {
	return index.IndexStatus != "" && index.IndexStatus != types.IndexStatusActive
}

// replicating reports whether a replica gets another status without anybody's doing.
func replicating(s types.ReplicaStatus) bool {
	return slices.Contains([]types.ReplicaStatus{
		types.ReplicaStatusCreating, types.ReplicaStatusUpdating, types.ReplicaStatusDeleting, types.ReplicaStatusArchiving,
	}, s)
}
