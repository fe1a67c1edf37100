"""Uses a server with the Python client, as scripts and operators do: one JSON line for each case that was tried.

Usage: try_kubernetes.py KUBECONFIG
"""
import json
import sys
import threading
import time
import traceback

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, ResourceNotFoundError

SPACE = 'from-python'
GROUP = 'python.example.com'


def failure(call, *args, **kwargs):
    """What the call raises; it must."""
    try:
        call(*args, **kwargs)
    except ApiException as error:
        return error
    raise AssertionError('the call has not failed')


def config_map(name, data, **metadata):
    return {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': name, **metadata}, 'data': data}


def errors(core):
    missing = failure(core.read_namespaced_config_map, 'none', SPACE)
    assert (missing.status, missing.reason) == (404, 'Not Found'), missing
    status = json.loads(missing.body)
    assert (status['kind'], status['reason'], status['details']) == (
        'Status', 'NotFound', {'name': 'none', 'kind': 'configmaps'}), status
    invalid = failure(core.create_namespaced_config_map, SPACE, config_map('No_Name', {}))
    assert (invalid.status, invalid.reason) == (422, 'Unprocessable Entity'), invalid


def built_in_objects(core):
    made = core.create_namespaced_config_map(SPACE, client.V1ConfigMap(
        metadata=client.V1ObjectMeta(name='one', labels={'app': 'x'}), data={'k': 'v'}))
    assert made.metadata.creation_timestamp.tzinfo is not None, 'times are times'
    assert failure(core.create_namespaced_config_map, SPACE, config_map('one', {})).status == 409
    read = core.read_namespaced_config_map('one', SPACE)
    read.data['k'] = 'w'
    changed = core.replace_namespaced_config_map('one', SPACE, read)
    assert changed.data == {'k': 'w'}
    assert failure(core.replace_namespaced_config_map, 'one', SPACE, read).status == 409, 'the version is old'
    core.create_namespaced_config_map(SPACE, config_map('two', {}))
    listed = core.list_namespaced_config_map(SPACE, label_selector='app=x')
    assert [item.metadata.name for item in listed.items] == ['one'], listed
    page = core.list_namespaced_config_map(SPACE, limit=1)
    rest = core.list_namespaced_config_map(SPACE, limit=5, _continue=page.metadata._continue)
    assert [item.metadata.name for item in page.items + rest.items] == ['one', 'two']
    assert core.delete_namespaced_config_map('two', SPACE).status == 'Success'
    core.create_namespaced_secret(SPACE, client.V1Secret(
        metadata=client.V1ObjectMeta(name='hidden'), string_data={'word': 'open'}))
    assert core.read_namespaced_secret('hidden', SPACE).data == {'word': 'b3Blbg=='}


def patches(core):
    """The client chooses the kind of patch by its body: a list is a JSON patch, else it is a strategic one."""
    core.create_namespaced_config_map(SPACE, config_map('patched', {'a': '1'}))
    json_patch = [{'op': 'test', 'path': '/data/a', 'value': '1'}, {'op': 'add', 'path': '/data/b', 'value': '2'}]
    assert core.patch_namespaced_config_map('patched', SPACE, json_patch).data == {'a': '1', 'b': '2'}
    assert core.patch_namespaced_config_map('patched', SPACE, {'data': {'a': None}}).data == {'b': '2'}
    stale = [{'op': 'test', 'path': '/data/b', 'value': '9'}]
    assert failure(core.patch_namespaced_config_map, 'patched', SPACE, stale).status == 422
    spec = {'replicas': 1, 'selector': {'matchLabels': {'app': 'x'}}, 'template': {
        'metadata': {'labels': {'app': 'x'}},
        'spec': {'containers': [{'name': 'main', 'image': 'example.com/main:1'}]}}}
    apps = client.AppsV1Api()
    apps.create_namespaced_deployment(SPACE, {'metadata': {'name': 'web'}, 'spec': spec})
    more = {'spec': {'template': {'spec': {'containers': [{'name': 'side', 'image': 'example.com/side:1'}]}}}}
    merged = apps.patch_namespaced_deployment('web', SPACE, more)
    assert [one.name for one in merged.spec.template.spec.containers] == ['side', 'main'], 'lists are merged by name'
    scale = apps.patch_namespaced_deployment_scale('web', SPACE, {'spec': {'replicas': 3}})
    assert scale.spec.replicas == 3


def watches(core):
    start = core.list_namespaced_config_map(SPACE).metadata.resource_version
    seen = []

    def write():
        time.sleep(0.2)
        core.create_namespaced_config_map(SPACE, config_map('watched', {'k': '1'}))
        core.patch_namespaced_config_map('watched', SPACE, {'data': {'k': '2'}})
        core.delete_namespaced_config_map('watched', SPACE)

    writer = threading.Thread(target=write)
    writer.start()
    stream = watch.Watch()
    for event in stream.stream(core.list_namespaced_config_map, SPACE, resource_version=start, timeout_seconds=30):
        seen.append((event['type'], event['object'].data['k']))
        if event['type'] == 'DELETED':
            stream.stop()
    writer.join()
    assert seen == [('ADDED', '1'), ('MODIFIED', '2'), ('DELETED', '2')], seen
    began = time.monotonic()
    assert list(watch.Watch().stream(
        core.list_namespaced_config_map, SPACE, field_selector='metadata.name=none', timeout_seconds=1)) == []
    assert time.monotonic() - began < 20, 'the server ends the watch'


def custom_objects(_):
    schema = {'type': 'object', 'properties': {
        'spec': {'type': 'object', 'properties': {'size': {'type': 'integer', 'minimum': 1}}},
        'status': {'type': 'object', 'x-kubernetes-preserve-unknown-fields': True}}}
    definition = {'metadata': {'name': f'boxes.{GROUP}'}, 'spec': {
        'group': GROUP, 'scope': 'Namespaced', 'names': {'plural': 'boxes', 'singular': 'box', 'kind': 'Box'},
        'versions': [{'name': 'v1', 'served': True, 'storage': True, 'subresources': {'status': {}},
                      'schema': {'openAPIV3Schema': schema}}]}}
    extensions = client.ApiextensionsV1Api()
    extensions.create_custom_resource_definition(definition)
    for _ in range(200):
        conditions = extensions.read_custom_resource_definition(f'boxes.{GROUP}').status.conditions or []
        if any(one.type == 'Established' and one.status == 'True' for one in conditions):
            break
        time.sleep(0.05)
    api = client.CustomObjectsApi()
    place = (GROUP, 'v1', SPACE, 'boxes')
    box = {'apiVersion': f'{GROUP}/v1', 'kind': 'Box', 'metadata': {'name': 'small'}, 'spec': {'size': 1}}
    made = api.create_namespaced_custom_object(*place, box)
    assert made['metadata']['generation'] == 1
    wrong = failure(api.create_namespaced_custom_object, *place, {**box, 'metadata': {'name': 'no'}, 'spec': {'size': 0}})
    assert wrong.status == 422 and 'spec.size' in wrong.body, wrong
    # This client sends a merge patch for custom objects.
    assert api.patch_namespaced_custom_object(*place, 'small', {'spec': {'size': 2}})['spec'] == {'size': 2}
    api.patch_namespaced_custom_object_status(*place, 'small', {'status': {'full': True}})
    read = api.get_namespaced_custom_object(*place, 'small')
    assert (read['status'], read['metadata']['generation']) == ({'full': True}, 2), read
    assert len(api.list_cluster_custom_object(GROUP, 'v1', 'boxes')['items']) == 1
    api.delete_namespaced_custom_object(*place, 'small')
    assert failure(api.get_namespaced_custom_object, *place, 'small').status == 404


def dynamic_client(_):
    found = dynamic.DynamicClient(client.ApiClient())
    boxes = found.resources.get(api_version=f'{GROUP}/v1', kind='Box')
    assert (boxes.namespaced, boxes.name) == (True, 'boxes')
    made = boxes.create(body={'metadata': {'name': 'big'}, 'spec': {'size': 9}, **kind_of(boxes)}, namespace=SPACE)
    try:
        boxes.create(body={**kind_of(boxes), 'metadata': {'name': 'big'}}, namespace=SPACE)
        raise AssertionError('a name is used twice')
    except ConflictError as error:
        assert error.status == 409
    # This version of the client takes what it applies only as text.
    labelled = json.dumps({**kind_of(boxes), 'metadata': {'name': 'big', 'labels': {'from': 'python'}}})
    applied = boxes.server_side_apply(body=labelled, name='big', namespace=SPACE, field_manager='python')
    assert applied.metadata.labels['from'] == 'python'
    patched = boxes.patch(body={'spec': {'size': 10}}, name='big', namespace=SPACE,
                          content_type='application/merge-patch+json')
    assert (patched.spec.size, patched.metadata.uid) == (10, made.metadata.uid)
    for event in boxes.watch(namespace=SPACE, resource_version=applied.metadata.resourceVersion, timeout=20):
        assert (event['type'], event['object'].spec.size) == ('MODIFIED', 10), event
        break
    boxes.delete(name='big', namespace=SPACE)
    try:
        boxes.get(name='big', namespace=SPACE)
        raise AssertionError('it is still there')
    except NotFoundError as error:
        assert error.status == 404
    pools = found.resources.get(api_version='machineconfiguration.openshift.io/v1', kind='MachineConfigPool')
    assert not pools.namespaced
    try:
        found.resources.get(api_version='none.example.com/v1', kind='None')
        raise AssertionError('a kind that is not served')
    except ResourceNotFoundError:
        pass


def kind_of(resource):
    return {'apiVersion': resource.group_version, 'kind': resource.kind}


def reviews(core):
    may = client.AuthorizationV1Api().create_self_subject_access_review({'spec': {'resourceAttributes': {
        'verb': 'delete', 'resource': 'nodes'}}})
    assert may.status.allowed
    version = client.VersionApi().get_code()
    assert (version.major, version.minor) == ('1', '33'), version
    names = [group.name for group in client.ApisApi().get_api_versions().groups]
    assert 'apps' in names and GROUP in names, names


CASES = [errors, built_in_objects, patches, watches, custom_objects, dynamic_client, reviews]


def main():
    config.load_kube_config(config_file=sys.argv[1])
    core = client.CoreV1Api()
    core.create_namespace({'metadata': {'name': SPACE}})
    for case in CASES:
        try:
            case(core)
            outcome = None
        except Exception:  # Every error is reported; the next case runs regardless.
            outcome = traceback.format_exc()
        print(json.dumps({'name': case.__name__, 'failure': outcome}), flush=True)


main()
