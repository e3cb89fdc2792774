// Bodies: their shapes as meshes, centred at the origin of the body.
import * as THREE from "three";
import type { RawBody, RawShape, Triple } from "../contract";

const kZ = new THREE.Vector3(0, 0, 1);
const kY = new THREE.Vector3(0, 1, 0);

/// Geometry of a shape in its own axes; `thin` is a thickness for what has none.
function geometry_of(shape: RawShape, thin: number): THREE.BufferGeometry {
  const at_least = (value: number | undefined): number => Math.max(value ?? 0, thin);
  switch (shape.kind) {
    case "box":
    case "plate": {
      const [x, y, z] = shape.size ?? [thin, thin, thin];
      return new THREE.BoxGeometry(at_least(x), at_least(y), at_least(z));
    }
    case "ellipsoid": {
      const [x, y, z] = shape.radii ?? [thin, thin, thin];
      return new THREE.SphereGeometry(1, 32, 20).scale(at_least(x), at_least(y), at_least(z));
    }
    case "sphere":
      return new THREE.SphereGeometry(at_least(shape.radius), 32, 20);
    case "torus":
      return new THREE.TorusGeometry(at_least(shape.radius), at_least(shape.tube), 16, 64);
    case "disc":
      return new THREE.CylinderGeometry(
        at_least(shape.radius),
        at_least(shape.radius),
        at_least(shape.length),
        48,
      );
    case "cylinder":
      return new THREE.CylinderGeometry(
        at_least(shape.radius),
        at_least(shape.radius),
        at_least(shape.length),
        40,
      );
    default: {
      const radius = shape.radius ?? Math.max(thin, 0.012 * (shape.length ?? 0));
      return new THREE.CylinderGeometry(radius, radius, at_least(shape.length), 16);
    }
  }
}

/// The axis of revolution of the geometry, which `axis` of the shape replaces.
function own_axis(shape: RawShape): THREE.Vector3 | null {
  if (shape.kind === "torus") return kZ;
  return shape.kind === "cylinder" || shape.kind === "disc" || shape.kind === "rod" ? kY : null;
}

export function place_shape(object: THREE.Object3D, shape: RawShape): void {
  object.position.fromArray(shape.at ?? [0, 0, 0]);
  const R = shape.R;
  if (R?.length === 9) {
    const m = new THREE.Matrix4().set(
      R[0],
      R[1],
      R[2],
      0,
      R[3],
      R[4],
      R[5],
      0,
      R[6],
      R[7],
      R[8],
      0,
      0,
      0,
      0,
      1,
    );
    object.quaternion.setFromRotationMatrix(m);
  }
  const from = own_axis(shape);
  if (from) {
    const axis = new THREE.Vector3().fromArray(shape.axis ?? (shape.kind === "rod" ? [1, 0, 0] : [0, 0, 1]));
    if (axis.lengthSq() > 0)
      object.quaternion.multiply(new THREE.Quaternion().setFromUnitVectors(from, axis.normalize()));
  }
}

export interface BodyLook {
  colour: string;
  edge: string;
  ghost: boolean;
  opacity: number;
}

/// The meshes of a body; every one of them has `userData.body`.
export function make_body(body: RawBody, index: number, length: number, look: BodyLook): THREE.Group {
  const group = new THREE.Group();
  group.name = "body";
  const shapes = body.shapes?.length
    ? body.shapes
    : body.mass > 0
      ? [point_of(body.com ?? [0, 0, 0], length)]
      : [];
  for (const shape of shapes) {
    const geometry = geometry_of(shape, 0.004 * length);
    const opacity = look.ghost ? look.opacity : shape.guess ? 0.62 : 1;
    const material = new THREE.MeshStandardMaterial({
      color: look.colour,
      roughness: 0.52,
      metalness: 0.08,
      transparent: opacity < 1,
      opacity,
      depthWrite: opacity > 0.5,
      polygonOffset: true,
      polygonOffsetFactor: look.ghost ? 4 : 1,
      polygonOffsetUnits: look.ghost ? 8 : 1,
    });
    const mesh = new THREE.Mesh(geometry, material);
    place_shape(mesh, shape);
    mesh.castShadow = !look.ghost;
    mesh.receiveShadow = !look.ghost && !shape.guess;
    mesh.userData = { body: index, pick: true, colour: look.colour };
    if (shape.kind !== "ellipsoid" && shape.kind !== "sphere" && shape.kind !== "torus") {
      const edges = new THREE.LineSegments(
        new THREE.EdgesGeometry(geometry, 35),
        new THREE.LineBasicMaterial({
          color: look.edge,
          transparent: true,
          opacity: look.ghost ? 0.5 : 0.35,
        }),
      );
      mesh.add(edges);
    }
    group.add(mesh);
  }
  return group;
}

function point_of(at: Triple, length: number): RawShape {
  return { kind: "sphere", at, R: [1, 0, 0, 0, 1, 0, 0, 0, 1], radius: 0.018 * length, guess: true };
}
