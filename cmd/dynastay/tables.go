package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
	"github.com/dynastay/dynastay/provision"
)

// declared are the flags that say what the tables must be.
type declared struct {
	Prefix   string   `help:"What the names of the tables begin with." placeholder:"prod-"`
	Suffix   string   `help:"What the names of the tables end with."`
	System   []string `help:"The systems in use: hotel, listing, venue." enum:"hotel,listing,venue" default:"hotel"`
	Settings string   `help:"A JSON file with settings by the names of the tables, without prefix and suffix, as in package provision." type:"existingfile" placeholder:"FILE"`
}

// tables returns what the tables must be.
func (d declared) tables() ([]provision.Table, error) {
	var all []provision.Table
	if slices.Contains(d.System, "hotel") {
		all = provision.Hotel(d.Prefix, d.Suffix)
	}
	if slices.Contains(d.System, "listing") {
		all = append(all, provision.Tables(d.Prefix, d.Suffix, listingkeys.Table)...)
	}
	if slices.Contains(d.System, "venue") {
		all = append(all, provision.Tables(d.Prefix, d.Suffix, venuekeys.Table)...)
	}
	if d.Settings == "" {
		return all, nil
	}
	settings, err := readSettings(d.Settings)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if s, has := settings[all[i].Schema.Name]; has {
			all[i].Settings = s
			delete(settings, all[i].Schema.Name)
		}
	}
	for name := range settings {
		return nil, fmt.Errorf("%s: %s is not one of the tables", d.Settings, name)
	}
	return all, nil
}

func readSettings(file string) (settings map[string]provision.Settings, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields() // a misspelt setting would be ignored
	if err := decoder.Decode(&settings); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return settings, nil
}

// account are the flags that say where the tables are. Everything else is what the SDK finds in the environment.
type account struct {
	Endpoint string `help:"The address of a local engine. Target tracking is not compared there." placeholder:"http://localhost:8000"`
	Region   string `help:"The region of the tables. Default: that of the environment."`
}

// open returns the clients. A local engine needs credentials in the environment too, whatever they are.
func (a account) open(ctx context.Context) (*dynamodb.Client, provision.Scaling, error) {
	cfg, err := config.LoadDefaultConfig(ctx, func(o *config.LoadOptions) error {
		o.Region = a.Region
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if a.Endpoint != "" {
		return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.BaseEndpoint = &a.Endpoint }), nil, nil
	}
	return dynamodb.NewFromConfig(cfg), scaling{applicationautoscaling.NewFromConfig(cfg)}, nil
}
