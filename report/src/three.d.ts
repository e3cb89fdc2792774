// What this viewer uses of three.js, which comes without types.
declare module "three" {
  export class Vector2 {
    constructor(x?: number, y?: number);
    x: number;
    y: number;
    set(x: number, y: number): this;
  }
  export class Vector3 {
    constructor(x?: number, y?: number, z?: number);
    x: number;
    y: number;
    z: number;
    set(x: number, y: number, z: number): this;
    copy(v: Vector3): this;
    clone(): Vector3;
    add(v: Vector3): this;
    sub(v: Vector3): this;
    multiplyScalar(s: number): this;
    addScaledVector(v: Vector3, s: number): this;
    cross(v: Vector3): this;
    crossVectors(a: Vector3, b: Vector3): this;
    dot(v: Vector3): number;
    subVectors(a: Vector3, b: Vector3): this;
    length(): number;
    lengthSq(): number;
    normalize(): this;
    distanceTo(v: Vector3): number;
    applyQuaternion(q: Quaternion): this;
    applyMatrix4(m: Matrix4): this;
    lerp(v: Vector3, s: number): this;
    fromArray(a: ArrayLike<number>, offset?: number): this;
    project(camera: Camera): this;
  }
  export class Quaternion {
    constructor(x?: number, y?: number, z?: number, w?: number);
    set(x: number, y: number, z: number, w: number): this;
    copy(q: Quaternion): this;
    clone(): Quaternion;
    setFromUnitVectors(a: Vector3, b: Vector3): this;
    setFromRotationMatrix(m: Matrix4): this;
    invert(): this;
    multiply(q: Quaternion): this;
    normalize(): this;
  }
  export class Matrix4 {
    elements: number[];
    set(...values: number[]): this;
    makeBasis(x: Vector3, y: Vector3, z: Vector3): this;
    compose(p: Vector3, q: Quaternion, s: Vector3): this;
    copy(m: Matrix4): this;
    invert(): this;
  }
  export class Color {
    constructor(colour?: string | number);
    set(colour: string | number): this;
    copy(c: Color): this;
    r: number;
    g: number;
    b: number;
    lerp(c: Color, s: number): this;
    setRGB(r: number, g: number, b: number, space?: string): this;
  }
  export class Box3 {
    copy(b: Box3): this;
    min: Vector3;
    max: Vector3;
    makeEmpty(): this;
    isEmpty(): boolean;
    expandByPoint(p: Vector3): this;
    union(b: Box3): this;
    getCenter(v: Vector3): Vector3;
    getSize(v: Vector3): Vector3;
    setFromObject(o: Object3D): this;
    clone(): Box3;
    applyMatrix4(m: Matrix4): this;
  }
  export class Object3D {
    name: string;
    parent: Object3D | null;
    children: Object3D[];
    visible: boolean;
    renderOrder: number;
    frustumCulled: boolean;
    castShadow: boolean;
    receiveShadow: boolean;
    matrixAutoUpdate: boolean;
    position: Vector3;
    quaternion: Quaternion;
    scale: Vector3;
    up: Vector3;
    matrix: Matrix4;
    matrixWorld: Matrix4;
    userData: Record<string, any>;
    add(...objects: Object3D[]): this;
    remove(...objects: Object3D[]): this;
    clear(): this;
    traverse(f: (object: Object3D) => void): void;
    lookAt(v: Vector3): void;
    updateMatrixWorld(force?: boolean): void;
    worldToLocal(v: Vector3): Vector3;
    localToWorld(v: Vector3): Vector3;
  }
  export class Group extends Object3D {}
  export class Scene extends Object3D {
    background: Texture | Color | null;
  }
  export class Camera extends Object3D {}
  export class PerspectiveCamera extends Camera {
    constructor(fov: number, aspect: number, near: number, far: number);
    fov: number;
    aspect: number;
    near: number;
    far: number;
    updateProjectionMatrix(): void;
  }
  export class BufferAttribute {
    constructor(array: ArrayLike<number>, size: number, normalized?: boolean);
    array: Float32Array;
    needsUpdate: boolean;
    usage: number;
    setUsage(usage: number): this;
    count: number;
  }
  export class BufferGeometry {
    setAttribute(name: string, attribute: BufferAttribute): this;
    getAttribute(name: string): BufferAttribute;
    setIndex(index: BufferAttribute | number[] | null): this;
    index: BufferAttribute | null;
    setDrawRange(start: number, count: number): void;
    computeVertexNormals(): void;
    dispose(): void;
    translate(x: number, y: number, z: number): this;
    rotateX(a: number): this;
    scale(x: number, y: number, z: number): this;
    boundingSphere: Sphere | null;
    boundingBox: Box3 | null;
    computeBoundingBox(): void;
  }
  export class Sphere {
    constructor(center?: Vector3, radius?: number);
  }
  export class BoxGeometry extends BufferGeometry {
    constructor(x: number, y: number, z: number);
  }
  export class SphereGeometry extends BufferGeometry {
    constructor(r: number, w?: number, h?: number);
  }
  export class CylinderGeometry extends BufferGeometry {
    constructor(top: number, bottom: number, height: number, around?: number, along?: number, open?: boolean);
  }
  export class TorusGeometry extends BufferGeometry {
    constructor(r: number, tube: number, radial?: number, tubular?: number);
  }
  export class PlaneGeometry extends BufferGeometry {
    constructor(x: number, y: number);
  }
  export class TubeGeometry extends BufferGeometry {
    constructor(path: Curve, segments: number, radius: number, around: number, closed: boolean);
  }
  export class EdgesGeometry extends BufferGeometry {
    constructor(geometry: BufferGeometry, threshold?: number);
  }
  export class Curve {
    getPoint(t: number, target?: Vector3): Vector3;
  }
  export class Material {
    transparent: boolean;
    opacity: number;
    depthWrite: boolean;
    side: number;
    needsUpdate: boolean;
    visible: boolean;
    dispose(): void;
    polygonOffset: boolean;
  }
  type Options = Record<string, unknown>;
  export class MeshStandardMaterial extends Material {
    constructor(o?: Options);
    color: Color;
    emissive: Color;
    emissiveIntensity: number;
  }
  export class MeshBasicMaterial extends Material {
    constructor(o?: Options);
    color: Color;
  }
  export class LineBasicMaterial extends Material {
    constructor(o?: Options);
    color: Color;
  }
  export class ShadowMaterial extends Material {
    constructor(o?: Options);
    color: Color;
  }
  export class ShaderMaterial extends Material {
    constructor(o?: Options);
    uniforms: Record<string, { value: any }>;
  }
  export class Mesh extends Object3D {
    constructor(g: BufferGeometry, m: Material);
    geometry: BufferGeometry;
    material: Material;
  }
  export class Line extends Object3D {
    constructor(g: BufferGeometry, m: Material);
    geometry: BufferGeometry;
    material: Material;
  }
  export class LineSegments extends Line {}
  export class Light extends Object3D {
    color: Color;
    intensity: number;
  }
  export class HemisphereLight extends Light {
    constructor(sky: string, ground: string, intensity: number);
    groundColor: Color;
  }
  export class DirectionalLight extends Light {
    constructor(colour: string, intensity: number);
    target: Object3D;
    shadow: {
      mapSize: Vector2;
      radius: number;
      bias: number;
      normalBias: number;
      camera: {
        left: number;
        right: number;
        top: number;
        bottom: number;
        near: number;
        far: number;
        updateProjectionMatrix(): void;
      };
    };
  }
  export class Texture {
    colorSpace: string;
    needsUpdate: boolean;
    dispose(): void;
  }
  export class CanvasTexture extends Texture {
    constructor(canvas: HTMLCanvasElement);
  }
  export class Raycaster {
    setFromCamera(p: Vector2, camera: Camera): void;
    intersectObjects(
      list: Object3D[],
      deep?: boolean,
    ): { object: Object3D; distance: number; point: Vector3 }[];
  }
  export class WebGLRenderer {
    constructor(o: Options);
    domElement: HTMLCanvasElement;
    shadowMap: { enabled: boolean; type: number; autoUpdate: boolean; needsUpdate: boolean };
    setPixelRatio(r: number): void;
    getPixelRatio(): number;
    setSize(w: number, h: number, style?: boolean): void;
    render(scene: Scene, camera: Camera): void;
    dispose(): void;
    debug: { checkShaderErrors: boolean };
    info: { render: { triangles: number } };
  }
  export const DoubleSide: number;
  export const BackSide: number;
  export const FrontSide: number;
  export const DynamicDrawUsage: number;
  export const PCFShadowMap: number;
  export const SRGBColorSpace: string;
}

declare module "three/addons/controls/OrbitControls.js" {
  import type { Camera, Vector3 } from "three";
  export class OrbitControls {
    constructor(camera: Camera, element: HTMLElement);
    target: Vector3;
    enableDamping: boolean;
    dampingFactor: number;
    minDistance: number;
    maxDistance: number;
    zoomToCursor: boolean;
    addEventListener(type: "change" | "start" | "end", f: () => void): void;
    update(): boolean;
    dispose(): void;
    saveState(): void;
    mouseButtons: Record<string, number>;
    touches: Record<string, number>;
    keyPanSpeed: number;
    screenSpacePanning: boolean;
  }
}

declare module "*.css";
