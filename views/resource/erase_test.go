package resource_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/views/resource"
)

// fill sets every field of a struct that is no function to a value other than zero, and returns their names.
func fill(t *testing.T, v reflect.Value) (names []string) {
	t.Helper()
	for i := range v.NumField() {
		f := v.Field(i)
		switch f.Interface().(type) {
		case string:
			f.SetString("set")
		case bool:
			f.SetBool(true)
		case time.Time:
			f.Set(reflect.ValueOf(time.Unix(1_700_000_000, 0)))
		case []string:
			f.Set(reflect.ValueOf([]string{"set"}))
		case error:
			f.Set(reflect.ValueOf(context.Canceled))
		case *account.PrerequisiteChange:
			f.Set(reflect.ValueOf(&account.PrerequisiteChange{}))
		default:
			switch {
			case f.Kind() == reflect.Func:
				continue
			case f.Kind() == reflect.Interface && f.Type() == reflect.TypeFor[error]():
				f.Set(reflect.ValueOf(context.Canceled))
			case f.Kind() == reflect.Interface:
				f.Set(reflect.ValueOf("set"))
			default:
				t.Fatalf("the test does not know how to set %s", v.Type().Field(i).Name)
			}
		}
		names = append(names, v.Type().Field(i).Name)
	}
	return names
}

// A script sends what a pane would send: no value of an attempt is lost when the type of its row is. A planned window
// without its start would begin at once.
func TestErased_keepsEveryValueOfAnAttempt(t *testing.T) {
	attempt := account.Attempt[*client.Service]{
		Send: func(context.Context, *client.Writer) (lists.ChangeResult[*client.Service], error) {
			return lists.ChangeResult[*client.Service]{}, nil
		},
	}
	names := fill(t, reflect.ValueOf(&attempt).Elem())
	services := resource.Resource[*client.Service]{Operations: []resource.Operation[*client.Service]{{
		Draft: func(*client.Service) resource.Draft[*client.Service] {
			return resource.Draft[*client.Service]{
				Attempt: func(*client.Service) account.Attempt[*client.Service] { return attempt },
			}
		},
	}}}
	erased := services.Erased().Operations[0].Draft(&client.Service{}).Attempt(&client.Service{})
	for _, name := range names {
		want := reflect.ValueOf(attempt).FieldByName(name).Interface()
		if got := reflect.ValueOf(erased).FieldByName(name).Interface(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	change := erased.Change("service", "")
	if change.StartAt.IsZero() || change.Scheduled == "" || change.RevertAt.IsZero() || change.Reason == "" {
		t.Errorf("the journal would record %+v", change)
	}
}
